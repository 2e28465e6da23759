/** Looks a fault up in the tables of its stage; a fault that is not for a stage leaves it as it is. */
import type { AssistantMessage } from '../reply/assistant-message.js';
import type { SseRecord } from '../reply/sse-records.js';
import type { Chunk } from '../reply/write-stream.js';
import type { MessagesRequest } from '../wire.js';
import { CANNED_RESPONSES, type CannedResponse } from './canned-response.js';
import type { Fault } from './fault.js';
import { MESSAGE_FAULTS } from './fault-messages.js';
import { BYTE_FAULTS, RECORD_FAULTS } from './fault-streams.js';

type Stage<F extends (...args: never[]) => unknown> = Partial<Record<Fault['kind'], F>>;

/** The response that stands in for the message, or undefined. */
export function cannedResponseOf(fault: Fault | undefined): CannedResponse | undefined {
  return pick(
    CANNED_RESPONSES as unknown as Stage<(fault: Fault) => CannedResponse>,
    fault,
  )?.(fault as Fault);
}

/** Before the message is written: the message as the fault changes it. */
export function faultMessage(
  fault: Fault | undefined,
  message: AssistantMessage,
  request: MessagesRequest,
): AssistantMessage {
  const change = pick(
    MESSAGE_FAULTS as unknown as Stage<
      (m: AssistantMessage, r: MessagesRequest, f: Fault) => AssistantMessage
    >,
    fault,
  );
  return change === undefined ? message : change(message, request, fault as Fault);
}

/** When the message has become events: the events as the fault changes, drops or repeats them. */
export function faultRecords(fault: Fault | undefined, records: readonly SseRecord[]): readonly SseRecord[] {
  const change = pick(
    RECORD_FAULTS as unknown as Stage<(r: readonly SseRecord[], f: Fault) => SseRecord[]>,
    fault,
  );
  return change === undefined ? records : change(records, fault as Fault);
}

/** On the way out: the bytes as the fault cuts, delays or garbles them. */
export function faultBytes(fault: Fault | undefined, chunks: readonly Chunk[]): readonly Chunk[] {
  const change = pick(BYTE_FAULTS as unknown as Stage<(c: readonly Chunk[], f: Fault) => Chunk[]>, fault);
  return change === undefined ? chunks : change(chunks, fault as Fault);
}

/** The tables are typed by kind; here, where the kind is only known at run time, that type can't be kept. */
function pick<F extends (...args: never[]) => unknown>(
  stage: Stage<F>,
  fault: Fault | undefined,
): F | undefined {
  return fault === undefined ? undefined : stage[fault.kind];
}
