/** Webhooks on the wire: who may be reached, what is signed, what is sent, and when again. Knows nothing of the record. */
export { judgeAttempt } from './retry.js';
export { sendWebhook, type SendResult } from './send.js';
export { newWebhookSecret } from './signature.js';
export { resolveTarget, type TargetRules } from './target.js';
