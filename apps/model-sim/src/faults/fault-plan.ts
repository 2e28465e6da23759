/** Decides which fault, if any, a request gets: one waiting in the queue, else the one that its script asks for. */
import { canonicalJson, sha256 } from '../canonical-json.js';
import type { AgentTurn } from '../agent-turn.js';
import type { Fault } from './fault.js';

/** Faults of `count_tokens` are for requests that count, all others for those that want a message. */
const forCounting = (fault: Fault): boolean => fault.kind === 'count_tokens_drift';

export type QueuedFault = Fault & { agent?: string | undefined };

export class FaultPlan {
  private queue: QueuedFault[] = [];
  private readonly served = new Map<string, number>();

  /** Appends faults for the requests to come. */
  add(faults: readonly QueuedFault[]): void {
    this.queue.push(...faults);
  }

  /** Forgets the queue. What a script asked for and was served stays served. */
  clear(): void {
    this.queue = [];
  }

  pending(): readonly QueuedFault[] {
    return this.queue;
  }

  /** Takes the fault for this request. A queued one is used up after `times` requests, a scripted one after `times` of the same turn. */
  take(turn: AgentTurn, scripted: Fault | undefined, counts = false): Fault | undefined {
    const fits = (fault: Fault | undefined) => fault !== undefined && forCounting(fault) === counts;
    return (
      this.takeQueued(turn.agent, fits) ?? this.takeScripted(turn, fits(scripted) ? scripted : undefined)
    );
  }

  private takeQueued(agent: string, fits: (fault: Fault) => boolean): Fault | undefined {
    const index = this.queue.findIndex(
      (fault) => fits(fault) && (fault.agent === undefined || fault.agent === agent),
    );
    const fault = this.queue[index];
    if (fault === undefined || fault.times === 'always') return fault;
    const left = (fault.times ?? 1) - 1;
    this.queue.splice(index, 1, ...(left > 0 ? [{ ...fault, times: left }] : []));
    return fault;
  }

  private takeScripted(turn: AgentTurn, fault: Fault | undefined): Fault | undefined {
    if (fault === undefined || fault.times === 'always') return fault;
    const key = `${fault.kind} ${turnKey(turn)}`;
    const count = this.served.get(key) ?? 0;
    if (count >= (fault.times ?? 1)) return undefined;
    this.served.set(key, count + 1);
    return fault;
  }
}

/**
 * Recognises a turn when it is asked for again, also by a client that has meanwhile changed the end of the conversation
 * (another user message, more tokens). The first assistant message tells conversations with equal prompts apart.
 */
function turnKey({ agent, systemPrompt, messages, turnIndex }: AgentTurn): string {
  const firstAnswer = turnIndex === 0 ? null : messages.find(({ role }) => role === 'assistant');
  return sha256(canonicalJson([agent, systemPrompt, messages[0], firstAnswer, turnIndex]));
}
