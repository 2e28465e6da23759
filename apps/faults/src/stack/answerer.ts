/** Somebody who answers over HTTP, sends an answer again with its key until its fate is known, and keeps a log of what became of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, createClient, type BullpenClient } from '@bullpen/client';
import type { InteractionAnswer, InteractionView } from '@bullpen/contracts';
import { mayPass, type SubmitterOptions } from './submitter.js';

/** An answer whose fate is known. */
export interface Given {
  readonly interactionId: string;
  /** The key under which it was sent last. */
  readonly key: string;
  readonly answer: InteractionAnswer;
  /** Words of this answer alone, if it has any: whoever reads them was told of it. */
  readonly mark: string | null;
  readonly fate: 'accepted' | 'refused';
  /** What was said to a refused one. */
  readonly code: string | null;
  readonly detail: string;
  /** How often it was sent. */
  readonly sent: number;
}

export interface AnswererOptions extends SubmitterOptions {
  /** How long somebody waits for a key whose request is in flight, in ms, before they come with a new one. */
  readonly patienceMs: number;
}

export interface AnswerOptions {
  readonly hash?: string;
  readonly key?: string;
  /** Leaves the first request alone after so many ms. */
  readonly leaveAfterMs?: number;
}

const PAUSE_MS = 250;

export class Answerer {
  readonly client: BullpenClient;
  readonly given: Given[] = [];
  /** Times that somebody sent an answer again, not knowing what became of it. */
  repeats = 0;
  #keys = 0;

  constructor(private readonly options: AnswererOptions) {
    this.client = createClient({ ...options, retries: 0 });
  }

  newKey(): string {
    this.#keys += 1;
    return `answer-${this.#keys}`;
  }

  /** Answers until it is known whether that counted. Throws when the gateway has anything else against it. */
  async answer(
    { id }: Pick<InteractionView, 'id'>,
    answer: InteractionAnswer,
    { hash, key = this.newKey(), leaveAfterMs }: AnswerOptions = {},
  ): Promise<Given> {
    const { signal, patienceMs } = this.options;
    const mark = markOf(answer);
    let current = key;
    const about = () => ({ interactionId: id, key: current, answer, mark });
    let patientUntil = performance.now() + patienceMs;
    for (let sent = 1; ; sent += 1) {
      const leave =
        sent === 1 && leaveAfterMs !== undefined ? AbortSignal.timeout(Math.round(leaveAfterMs)) : null;
      const signals = leave === null ? signal : AbortSignal.any([signal, leave]);
      try {
        await this.client.interactions.answer(id, answer, {
          ...(hash !== undefined && { hash }),
          idempotencyKey: current,
          signal: signals,
        });
        return this.#note({ ...about(), fate: 'accepted', code: null, detail: '', sent });
      } catch (error) {
        signal.throwIfAborted();
        const refusal = refusalIn(error);
        if (refusal !== null) {
          const { code, message: detail } = refusal;
          // Under a new key the own answer, sent before, may be the one that stands.
          const own = current !== key && mark !== null && detail.includes(mark);
          const fate = own ? 'accepted' : 'refused';
          return this.#note({ ...about(), fate, code, detail, sent });
        }
        if (leave?.aborted !== true && !mayPass(error)) throw error;
        if (performance.now() > patientUntil) {
          current = this.newKey();
          patientUntil = performance.now() + patienceMs;
        }
        this.repeats += 1;
        await sleep(PAUSE_MS, undefined, { signal });
      }
    }
  }

  #note(given: Given): Given {
    this.given.push(given);
    return given;
  }
}

/** The refusals that are an answer to the answer. */
function refusalIn(error: unknown): ApiError | null {
  return error instanceof ApiError &&
    (error.code === 'interaction_closed' || error.code === 'interaction_changed')
    ? error
    : null;
}

function markOf(answer: InteractionAnswer): string | null {
  return /«[^»]*»/.exec(JSON.stringify(answer))?.[0] ?? null;
}
