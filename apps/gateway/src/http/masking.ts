/** Registered values leave the gateway in no answer, whatever wrote them: a person in a prompt, a model in a call, an error in its text. */
import type { Masker } from '@bullpen/core';
import type { FastifyInstance } from 'fastify';

/** Masks the text of every answer. A secret that was just made is not registered, and so is shown to whoever made it. */
export function maskAnswers(fastify: FastifyInstance, masker: Masker): void {
  fastify.addHook('onSend', (_request, _reply, payload, done) => done(null, masked(payload, masker)));
}

function masked(payload: unknown, masker: Masker): unknown {
  if (typeof payload === 'string') return masker.maskJsonText(payload);
  if (!Buffer.isBuffer(payload)) return payload;
  // A character for each byte: a value is found in these as well, and what is no text stays as it is.
  return Buffer.from(masker.maskJsonText(payload.toString('latin1')), 'latin1');
}
