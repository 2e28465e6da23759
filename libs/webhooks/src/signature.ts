/** Signatures as Standard Webhooks has them: HMAC-SHA-256 over id, time and body, so that a receiver knows who sent what and when. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

export interface Message {
  /** The same for all attempts, so that a receiver can tell what it has seen. */
  readonly id: string;
  /** The time of this attempt: receivers refuse what is older than some minutes. */
  readonly at: Date;
  readonly body: string;
}

/** A new secret: `whsec_` and 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The three headers. With several secrets there are several signatures: a receiver needs to know only one of the secrets. */
export function signedHeaders({ id, at, body }: Message, secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
