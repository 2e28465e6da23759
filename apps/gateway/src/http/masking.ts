/** Registered values leave the gateway in no answer, whatever wrote them: a person in a prompt, a model in a call, an error in its text. */
import type { Masker } from '@bullpen/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalidRequest } from './problem.js';

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

/**
 * Whoever reads something here, changes a field and sends it back has seen masks where values are. They must not be stored in
 * their place. In words for an agent they may stand.
 */
export function refuseMasks(fastify: FastifyInstance, masker: Masker): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const kept = keptValues(request);
    const [name] = kept === undefined ? [] : masker.masksIn(JSON.stringify(kept));
    if (name === undefined) return done();
    const detail = `contains [secret ${name}], which is shown in place of a value that nobody may see; send the value itself, or leave out what does not change`;
    done(invalidRequest([{ pointer: '', detail }], 'The body'));
  });
}

/** What a request wants to be kept or run exactly as it is. */
function keptValues({ routeOptions, body }: FastifyRequest): unknown {
  const { url = '' } = routeOptions;
  if (/^\/v1\/(webhooks|policies)/.test(url)) return body;
  return url.startsWith('/v1/interactions') ? Answer.safeParse(body).data?.answer.arguments : undefined;
}

const Answer = z.object({ answer: z.object({ arguments: z.unknown() }) });
