/** The fault switches: what can be made to go wrong with one request, and the options of each. */
import { z } from 'zod';

const common = {
  /**
   * How many requests of the same turn get the fault, before it is answered as scripted. @defaultValue 1, so that a client
   * that tries again gets through.
   */
  times: z.union([z.number().int().positive(), z.literal('always')]).optional(),
};
const ms = z.number().int().nonnegative().max(3_600_000);

function kind<K extends string>(name: K) {
  return z.strictObject({ kind: z.literal(name), ...common });
}

export const Fault = z.discriminatedUnion('kind', [
  // Answers with an error status instead of a message.
  kind('rate_limit').extend({
    retryAfterSeconds: z.number().nonnegative().optional(),
    shouldRetry: z.boolean().optional(),
  }),
  kind('overloaded'),
  kind('server_error'),
  kind('timeout_error'),
  kind('request_too_large'),
  kind('authentication_error'),
  kind('billing_error'),
  kind('prompt_too_long'),
  kind('spend_limit'),
  kind('permission_error'),
  kind('conflict_error'),
  kind('html_200'),
  kind('html_403'),
  // Messages that end in an unusual way.
  kind('max_tokens_mid_json'),
  kind('refusal_after_tool_use'),
  kind('pause_turn'),
  kind('empty_end_turn'),
  kind('duplicate_tool_ids'),
  kind('parallel_tools').extend({ count: z.number().int().min(2).max(32).optional() }),
  kind('server_tool_beside_tools'),
  // Streams whose records go wrong; without effect on a request that does not stream.
  kind('error_event_first').extend({ errorType: z.string().optional(), message: z.string().optional() }),
  kind('error_event_mid_text').extend({ errorType: z.string().optional(), message: z.string().optional() }),
  kind('error_event_mid_json').extend({ errorType: z.string().optional(), message: z.string().optional() }),
  kind('eof_without_message_stop'),
  kind('stall').extend({ ms, pings: z.boolean().optional(), everyMs: ms.min(10).optional() }),
  kind('slow_first_byte').extend({ ms }),
  kind('unknown_event'),
  kind('duplicate_message_delta'),
  // Streams whose bytes go wrong.
  kind('eof_at_byte').extend({ at: z.number().int().nonnegative(), reset: z.boolean().optional() }),
  kind('split_utf8'),
  kind('crlf'),
  // Counts of tokens that differ from what is billed; without effect on a message.
  kind('count_tokens_drift').extend({ share: z.number().min(-0.5).max(0.5) }),
]);
export type Fault = z.infer<typeof Fault>;
export type FaultKind = Fault['kind'];
export type FaultOf<K extends FaultKind> = Extract<Fault, { kind: K }>;

/** One entry of `POST /sim/faults`: a fault for the next request, or the next one of the named agent. */
export const QueuedFault = z.intersection(Fault, z.object({ agent: z.string().min(1).optional() }));
