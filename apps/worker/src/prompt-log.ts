/** Keeps what model calls send and get, as the provider has it and masked, and forgets it after some days. */
import type { Masker, PromptLog } from '@bullpen/core';
import { toProviderRequest } from '@bullpen/models';
import type { Logger } from '@bullpen/platform';
import type { ReconcilerJob } from '@bullpen/queue';
import type { KeptText, PromptBodies } from '@bullpen/store';

/** Of each side, in bytes. A request is as long as its conversation, and comes again with each call. */
const MOST_BYTES = 1_024 * 1_024;

/** Masked before it is cut: a cut through a secret would leave a part that nobody knows for one. */
export function promptLog(bodies: PromptBodies, masker: Masker, logger: Logger): PromptLog {
  const kept = (value: unknown): KeptText => keptText(JSON.stringify(masker.maskJson(value as never)));
  return {
    async keep({ callId, taskId, request, answer }) {
      const { content, stopReason, usage, error } = answer;
      try {
        await bodies.keep(
          callId,
          kept(toProviderRequest(request)),
          kept({ content, stopReason, usage, error }),
        );
      } catch (err) {
        logger.warn({ err, taskId, callId }, 'what a model call sent and got could not be kept');
      }
    },
  };
}

/** Cut between characters. */
function keptText(text: string): KeptText {
  const all = Buffer.from(text.toWellFormed());
  if (all.length <= MOST_BYTES) return { text: all.toString(), bytes: all.length };
  const head = new TextDecoder().decode(all.subarray(0, MOST_BYTES), { stream: true });
  return { text: head, bytes: all.length };
}

const EVERY_MS = 3_600_000;
/** Each is up to two megabytes; small, so that a stop is never waited for. */
const BATCH = 100;

/** The job that forgets. The signal stops it between two pieces. */
export function promptLogJob(bodies: PromptBodies, days: number, signal: AbortSignal): ReconcilerJob {
  const run = async (): Promise<number> => {
    while (!signal.aborted && (await bodies.prune(days, BATCH)) === BATCH);
    // Time is no repair.
    return 0;
  };
  return { name: 'prompt-bodies', everyMs: EVERY_MS, run };
}
