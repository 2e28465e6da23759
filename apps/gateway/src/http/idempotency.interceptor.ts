/**
 * `Idempotency-Key` on every POST: the first request does the work, later ones with the same key and body get its answer.
 * Only answers of success are kept: a request that was refused changed nothing, and may be sent again once it can work.
 */
import { createHash } from 'node:crypto';
import { AppError, type Json } from '@bullpen/contracts';
import { canonicalJson } from '@bullpen/core';
import {
  getInboxMessage,
  getBulkAction,
  getInteraction,
  getTask,
  IdempotencyKeys,
  type IdempotencyClaim,
  type Prisma,
  type StoredAnswer,
} from '@bullpen/store';
import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { z } from 'zod';
import { invalidRequest } from './problem.js';
import { LOGGER, POOL, PRISMA, type Logger, type Pool } from './tokens.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the answer holds a secret and must not be stored; a repeated request simply makes another one. */
    secretAnswer?: boolean;
  }
  interface FastifyRequest {
    /** Set while the request with this key does its work, so that a command can store the key with its own effect. */
    idempotency?: IdempotencyClaim;
  }
}

/** What the key's row holds from the commit of its effect until its answer is known. */
const Committed = z.union([
  z.strictObject({ committedTaskId: z.string() }),
  z.strictObject({ committedBulkId: z.string() }),
  z.strictObject({ committedInteractionId: z.string() }),
  z.strictObject({ committedMessageId: z.string(), taskId: z.string() }),
]);
type Committed = z.infer<typeof Committed>;

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  readonly #keys: IdempotencyKeys;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#keys = new IdempotencyKeys(pool);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = request.headers['idempotency-key'];
    const { secretAnswer } = request.routeOptions.config;
    if (request.method !== 'POST' || key === undefined || !request.principal || secretAnswer)
      return next.handle();
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key))
      throw invalidRequest(
        [{ pointer: '/headers/idempotency-key', detail: 'must be 1 to 200 visible ASCII characters' }],
        'The header Idempotency-Key',
      );
    const ref = { tenantId: request.principal.tenantId, key: scopedKey(request, key) };
    return from(this.#once(ref, request, http.getResponse<FastifyReply>(), next));
  }

  async #once(
    ref: { tenantId: string; key: string },
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const begin = await this.#keys.begin(ref, hashOf(canonicalJson((request.body ?? null) as Json)));
    switch (begin.kind) {
      case 'replay':
        return this.#replay(begin.claim, begin.answer, reply);
      case 'reused':
        throw new AppError(
          'idempotency_key_reused',
          'This Idempotency-Key was used with another body before.',
        );
      case 'in_flight':
        throw new AppError(
          'idempotency_in_flight',
          'The first request with this Idempotency-Key is still being handled.',
        );
      case 'fresh':
        request.idempotency = begin.claim;
        return this.#work(begin.claim, reply, next);
    }
  }

  async #work(claim: IdempotencyClaim, reply: FastifyReply, next: CallHandler): Promise<unknown> {
    let body: unknown;
    try {
      body = await lastValueFrom(next.handle());
    } catch (error) {
      // Keeps the row of a command that stored its effect together with the key; then the next request replays it.
      await this.#keys
        .abandon(claim)
        .catch((cause: unknown) =>
          this.logger.warn(
            { err: cause },
            'could not release an idempotency key; it becomes free after a minute',
          ),
        );
      throw error;
    }
    const location = reply.getHeader('location');
    await this.#keys.complete(claim, {
      status: reply.statusCode,
      location: typeof location === 'string' ? location : null,
      response: body as Json,
    });
    return body;
  }

  async #replay(claim: IdempotencyClaim, stored: StoredAnswer, reply: FastifyReply): Promise<Json> {
    const answer = (await this.#unsentAnswer(claim, stored)) ?? stored;
    void reply.header('idempotency-replayed', 'true').code(answer.status);
    if (answer.location !== null) void reply.header('location', answer.location);
    return answer.response;
  }

  /** The answer that a crash kept from being sent: the effect was committed together with the key, and is shown as it is now. */
  async #unsentAnswer(claim: IdempotencyClaim, stored: StoredAnswer): Promise<StoredAnswer | null> {
    const pending = Committed.safeParse(stored.response);
    if (!pending.success) return null;
    const response = await this.#shown(claim, pending.data);
    if (response === null) return null;
    const answer = { ...stored, response };
    await this.#keys.complete(claim, answer);
    return answer;
  }

  #shown({ tenantId }: IdempotencyClaim, committed: Committed): Promise<Json | null> {
    if ('committedTaskId' in committed) return getTask(this.prisma, tenantId, committed.committedTaskId);
    if ('committedBulkId' in committed)
      return getBulkAction(this.prisma, tenantId, committed.committedBulkId);
    if ('committedInteractionId' in committed)
      return getInteraction(this.prisma, tenantId, committed.committedInteractionId);
    const { taskId, committedMessageId } = committed;
    return getInboxMessage(this.prisma, { tenantId, taskId }, committedMessageId);
  }
}

/** Keys of different routes do not meet. Hashed, as paths may be longer than an index takes. */
function scopedKey(request: FastifyRequest, key: string): string {
  const [path = ''] = request.url.split('?', 1);
  return hashOf(`${request.method} ${path}\n${key}`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
