/** Registered values leave the gateway in no answer, whatever wrote them: a person in a prompt, a model in a call, an error in its text. */
import { isUtf8 } from 'node:buffer';
import type { Masker } from '@bullpen/core';
import type { FastifyInstance } from 'fastify';

/** Masks the text of every answer. A secret that was just made is not registered, and so is shown to whoever made it. */
export function maskAnswers(fastify: FastifyInstance, masker: Masker): void {
  fastify.addHook('onSend', (_request, _reply, payload, done) => done(null, masked(payload, masker)));
}

function masked(payload: unknown, masker: Masker): unknown {
  if (typeof payload === 'string') return masker.maskJsonText(payload);
  if (!Buffer.isBuffer(payload)) return payload;
  // Bytes that are no text may stand beside a value all the same, and stay as they are.
  const encoding = isUtf8(payload) ? 'utf8' : 'latin1';
  const text = payload.toString(encoding);
  const shown = masker.maskJsonText(text);
  return shown === text ? payload : Buffer.from(shown, encoding);
}
