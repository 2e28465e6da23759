/** The strict gate in front of the scripts: what the real API refuses is refused here, in the same words. */
import type { MessagesRequest } from '../wire.js';
import { checkMedia } from './check-media.js';
import { checkMessages, checkNoPrefill } from './check-messages.js';
import { checkOutputFormat } from './check-output-format.js';
import { checkServerTools } from './check-server-tools.js';
import { checkSettings } from './check-settings.js';
import { checkThinkingBlocks } from './check-thinking-blocks.js';
import { checkToolPairs } from './check-tool-pairs.js';
import { checkModelName } from './model-name.js';
import { parseCountTokensBody, parseMessagesBody } from './request-shape.js';

/** A valid request for a message. Throws `ApiError`: 400 with the first problem found, 404 for an unknown model. */
export function validateMessagesRequest(body: unknown): MessagesRequest {
  return check(parseMessagesBody(body));
}

/** A valid request for a token count. Throws as `validateMessagesRequest` does. */
export function validateCountTokensRequest(body: unknown): MessagesRequest {
  return check(parseCountTokensBody(body));
}

function check(request: MessagesRequest): MessagesRequest {
  checkModelName(request.model);
  checkSettings(request);
  checkOutputFormat(request);
  checkMessages(request);
  checkMedia(request);
  checkToolPairs(request.messages);
  checkServerTools(request.messages);
  checkThinkingBlocks(request);
  checkNoPrefill(request);
  return request;
}
