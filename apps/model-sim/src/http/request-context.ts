/** What is known of one HTTP request while it is served, and how its end is recorded exactly once. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../ids.js';
import type { RequestDraft, RequestLog } from '../request-log.js';

export class RequestContext {
  readonly draft: RequestDraft;
  private isRecorded = false;

  constructor(request: FastifyRequest, log: RequestLog) {
    this.draft = {
      time: new Date().toISOString(),
      requestId: newId('req_sim_'),
      method: request.method,
      path: request.url.split('?')[0] ?? request.url,
      status: 499,
      outcome: 'aborted',
      bodySha256: null,
      model: null,
      agent: null,
      turnIndex: null,
      stream: false,
      messageId: null,
      stopReason: null,
      fault: null,
      usage: null,
      error: null,
    };
    this.record = (end) => {
      if (this.isRecorded) return;
      this.isRecorded = true;
      log.write({ ...this.draft, ...end });
    };
  }

  /** Writes the log entry; only the first call counts. Call it before the last bytes are sent, so that whoever has the answer finds the entry. */
  readonly record: (end: Partial<RequestDraft>) => void;
}

const contexts = new WeakMap<FastifyRequest, RequestContext>();

/** Starts the context of a request; a client that leaves before anything else is recorded is logged as `aborted`. */
export function openContext(request: FastifyRequest, reply: FastifyReply, log: RequestLog): RequestContext {
  const context = new RequestContext(request, log);
  contexts.set(request, context);
  reply.raw.once('close', () => {
    if (isWitnessed(context.draft.path)) context.record({});
  });
  return context;
}

/** The context of a request that `openContext` was called for. */
export function contextOf(request: FastifyRequest): RequestContext {
  const context = contexts.get(request);
  if (context === undefined) throw new Error(`no context for ${request.method} ${request.url}`);
  return context;
}

/** Health checks and the simulator's own controls are not part of the log. */
export function isWitnessed(path: string): boolean {
  return path !== '/healthz' && !path.startsWith('/sim/');
}
