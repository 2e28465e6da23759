/** A client as they should be: repeats a request with its Idempotency-Key until there is an answer, and keeps its own log of what it was promised. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, createClient, UnexpectedAnswer, Unreachable, type BullpenClient } from '@bullpen/client';
import { ANY_COMMAND, type CreateTaskInput } from '@bullpen/contracts';
import { promptOf, type Plan } from './plan.js';

export interface Accepted {
  readonly id: string;
  readonly plan: Plan;
}

export interface SubmitterOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signal: AbortSignal;
}

const PAUSE_MS = 400;
/** Everything that the agent's definition allows. */
const APPROVALS = {
  alwaysAllowReadOnly: true,
  alwaysAllowWrite: true,
  alwaysAllowExecute: true,
  alwaysAllowSubtasks: true,
  alwaysAllowUpdateTodoList: true,
};

export class Submitter {
  readonly client: BullpenClient;
  /** The witness for "lost": every task that a 201 promised. */
  readonly accepted: Accepted[] = [];
  /** Answers to submissions, by status. */
  readonly answers = new Map<number, number>();

  constructor(private readonly options: SubmitterOptions) {
    this.client = createClient({ ...options, retries: 0, fetch: (input, init) => this.#fetch(input, init) });
  }

  /** Submits until it is accepted; `more` wins over what the plan says. Throws when the gateway refuses the task itself. */
  async submit(plan: Plan, more: CreateTaskInput = {}): Promise<Accepted> {
    const { signal } = this.options;
    const idempotencyKey = `drill-${plan.key}`;
    // What the commands of a drill do lies outside the workspace, where no policy of categories lets them.
    const body = {
      prompt: promptOf(plan),
      title: plan.key,
      approvals: APPROVALS,
      rules: ANY_COMMAND,
      ...more,
    };
    for (;;) {
      try {
        const { id } = await this.client.tasks.create(body, { idempotencyKey, signal });
        const accepted = { id, plan };
        this.accepted.push(accepted);
        return accepted;
      } catch (error) {
        if (!mayPass(error)) throw error;
        await sleep(PAUSE_MS, undefined, { signal });
      }
    }
  }

  /** Submits several, one after the other in `lanes` lanes. */
  async submitAll(plans: readonly Plan[], lanes = 4): Promise<readonly Accepted[]> {
    const todo = [...plans];
    const done: Accepted[] = [];
    const lane = async (): Promise<void> => {
      for (let plan = todo.shift(); plan !== undefined; plan = todo.shift())
        done.push(await this.submit(plan));
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return done;
  }

  /** Cancels until it is known. A task that has ended meanwhile is none to cancel. */
  async cancel(id: string): Promise<void> {
    for (;;) {
      try {
        await this.client.tasks.cancel(id, {}, { signal: this.options.signal });
        return;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'task_finished') return;
        if (!mayPass(error)) throw error;
        await sleep(PAUSE_MS, undefined, { signal: this.options.signal });
      }
    }
  }

  async #fetch(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
    const response = await fetch(input, init);
    if (init?.method === 'POST')
      this.answers.set(response.status, (this.answers.get(response.status) ?? 0) + 1);
    return response;
  }
}

/** No answer, half an answer, or one of a server that has trouble of its own. */
export function mayPass(error: unknown): boolean {
  if (error instanceof Unreachable || error instanceof UnexpectedAnswer) return true;
  if (!(error instanceof ApiError)) return false;
  return error.status >= 500 || error.status === 429 || error.code === 'idempotency_in_flight';
}
