/** `POST /v1/messages`: validate, ask the script, apply the fault, answer as a stream or as one JSON body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentTurnOf } from '../agent-turn.js';
import { errorBody } from '../api-error.js';
import { cannedResponseOf, faultBytes, faultMessage, faultRecords } from '../faults/apply-fault.js';
import type { CannedResponse } from '../faults/canned-response.js';
import type { Fault } from '../faults/fault.js';
import type { FaultPlan } from '../faults/fault-plan.js';
import { windowOf } from '../models.js';
import { replyTo } from '../player.js';
import type { PromptCache } from '../prompt-cache.js';
import type { RateLimits } from '../rate-limits.js';
import { assistantMessageOf, messageJson, type AssistantMessage } from '../reply/assistant-message.js';
import { paceOf } from '../reply/pacing.js';
import { encodeRecord, sseRecordsOf, type SseRecord } from '../reply/sse-records.js';
import { scaled, writeStream, type Chunk, type Speed } from '../reply/write-stream.js';
import type { Scenario } from '../scenario.js';
import { sum, type TokenCount } from '../tokens.js';
import { checkWindow } from '../validation/check-window.js';
import { validateMessagesRequest } from '../validation/validate-request.js';
import { readApiBody } from './read-request.js';
import { contextOf, type RequestContext } from './request-context.js';

export interface MessagesDeps {
  scenarios: readonly Scenario[];
  cache: PromptCache;
  count: TokenCount;
  faults: FaultPlan;
  limits: RateLimits;
  /** Tokens; undefined: each model has its own. */
  window: number | undefined;
  speed: Speed;
}

/** An answer that is ready to be sent. */
interface Answer {
  message: AssistantMessage;
  records: readonly SseRecord[];
  fault: Fault | undefined;
  /** Called when the first byte is sent: from then on the request is billed and its prefix is in the cache. */
  onBegin: () => void;
}

/** Serves one request. Throws `ApiError` for what the validator or the script refuses; nothing has been sent then. */
export async function serveMessages(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: MessagesDeps,
): Promise<unknown> {
  const context = contextOf(request);
  const prepared = prepare(readApiBody(request), context, deps);
  reply.headers(deps.limits.headers());
  if ('canned' in prepared) return sendCanned(reply, context, prepared.canned);
  return context.draft.stream
    ? sendStream(reply, context, prepared, deps.speed)
    : sendJson(reply, context, prepared, deps.speed);
}

function prepare(
  body: unknown,
  { draft }: RequestContext,
  deps: MessagesDeps,
): Answer | { canned: CannedResponse } {
  const { cache, faults, limits, scenarios } = deps;
  const request = validateMessagesRequest(body);
  const turn = agentTurnOf(request);
  Object.assign(draft, {
    model: request.model,
    agent: turn.agent,
    turnIndex: turn.turnIndex,
    stream: request.stream === true,
  });
  const lookup = cache.lookup(request);
  const uncached = lookup.usage.input_tokens + lookup.usage.cache_creation_input_tokens;
  const refusal = limits.refusal(uncached);
  if (refusal !== undefined) return { canned: refusal };
  limits.count('requests', 1);
  const { window = windowOf(request.model) } = deps;
  const promptTokens = uncached + lookup.usage.cache_read_input_tokens;
  checkWindow(request, promptTokens, window);
  const reply = replyTo(turn, scenarios);
  const fault = faults.take(turn, reply.fault);
  draft.fault = fault?.kind ?? null;
  const canned = cannedResponseOf(fault);
  if (canned !== undefined) return { canned };
  const whole = assistantMessageOf(reply, request, lookup.usage, window - promptTokens);
  const message = faultMessage(fault, whole, request);
  Object.assign(draft, { messageId: message.id, stopReason: message.stopReason });
  const seed = draft.bodySha256 ?? '';
  const pace = paceOf(seed, message.usage.output_tokens, reply.delayMs);
  const onBegin = (): void => {
    lookup.commit();
    limits.count('input-tokens', uncached);
    limits.count('output-tokens', message.usage.output_tokens);
  };
  return { message, records: faultRecords(fault, sseRecordsOf(message, pace, seed)), fault, onBegin };
}

function sendCanned(
  reply: FastifyReply,
  context: RequestContext,
  { status, headers, body }: CannedResponse,
): FastifyReply {
  reply.code(status).headers(headers);
  if ('html' in body) {
    context.record({ status, outcome: 'refused', error: body.html });
    // Whoever answered here was not the API, so the API's own headers are missing.
    reply.removeHeader('request-id');
    return reply.send(body.html);
  }
  context.record({ status, outcome: 'refused', error: body.message });
  return reply.send(errorBody(body.errorType, body.message, context.draft.requestId));
}

async function sendJson(
  reply: FastifyReply,
  context: RequestContext,
  answer: Answer,
  speed: Speed,
): Promise<unknown> {
  const { message, records, onBegin } = answer;
  const waitMs = sum(records.map(({ delayMs, pauseMs }) => scaled(delayMs, speed) + pauseMs));
  const isThere = await waitUnlessGone(reply, waitMs);
  // The real API goes on generating for a client that has left, and bills it.
  onBegin();
  if (!isThere) {
    reply.hijack();
    context.record({ outcome: 'aborted', usage: message.usage });
    return reply;
  }
  context.record({ status: 200, outcome: 'completed', usage: message.usage });
  return reply.send(messageJson(message));
}

async function waitUnlessGone(reply: FastifyReply, waitMs: number): Promise<boolean> {
  if (waitMs < 1) return !reply.raw.destroyed;
  const gone = new AbortController();
  const closed = once(reply.raw, 'close', { signal: gone.signal }).then(() => false);
  const waited = sleep(waitMs, true, { signal: gone.signal });
  try {
    return await Promise.race([closed, waited]);
  } finally {
    gone.abort();
    await Promise.allSettled([closed, waited]);
  }
}

async function sendStream(
  reply: FastifyReply,
  context: RequestContext,
  answer: Answer,
  speed: Speed,
): Promise<FastifyReply> {
  const { message, records, fault, onBegin } = answer;
  const { draft } = context;
  const chunks = faultBytes(fault, billable(records));
  reply.hijack();
  const head = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  };
  // The 'close' event may come before the writer notices: what is billed has to be in the draft all along.
  const onWritten = ({ outputTokens }: Chunk): void => {
    draft.status = 200;
    if (outputTokens === undefined) return;
    if (draft.usage === null) onBegin();
    draft.usage = { ...message.usage, output_tokens: outputTokens };
  };
  const isComplete = await writeStream(reply.raw, head, chunks, speed, onWritten);
  if (!isComplete) return reply;
  const isWhole =
    records.some(({ event }) => event === 'message_stop') && sizeOf(chunks) >= sizeOf(billable(records));
  context.record({ status: 200, outcome: isWhole ? 'completed' : 'cut' });
  if (fault?.kind === 'eof_at_byte' && fault.reset === true) reply.raw.destroy();
  else reply.raw.end();
  return reply;
}

/** The records as bytes. Nothing is billed until the message has begun: a stream that opens with an error costs nothing. */
function billable(records: readonly SseRecord[]): Chunk[] {
  const isBilled = records[0]?.event === 'message_start';
  return records.map((record) => ({
    bytes: encodeRecord(record),
    delayMs: record.delayMs,
    pauseMs: record.pauseMs,
    outputTokens: isBilled ? record.outputTokens : undefined,
  }));
}

function sizeOf(chunks: readonly Chunk[]): number {
  return sum(chunks.map(({ bytes }) => bytes.length));
}
