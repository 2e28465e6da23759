/**
 * What stands beside the product: another library that does the same work on the same server, in a process of its own. Nothing of it is a
 * dependency of the product, so what is used of it is described here and in its file, and loaded by name.
 */
import { sideBySide } from '../lab/side-by-side.js';

/** The work that figures ask for. All counts are numbers, and so is all that comes back. */
export type WorkName =
  /** So many no-op steps in one workflow. Gives ms a step. */
  | 'serialSteps'
  /** So many workflows side by side, with so many steps each. Gives steps a second. */
  | 'parallelSteps'
  /** Submits of 1 kB from so many callers at once, so many in all. Gives their rate a second. */
  | 'submitRate'
  /** So many submits of 1 kB, one after the other. Gives the ms of each. */
  | 'submits'
  /** So many times from a submit to the first line of its work, in an idle process. Gives the ms of each. */
  | 'starts'
  /** The same through the queue with which work reaches another process. */
  | 'queuedStarts'
  /** One parent with so many children, from its start to its end. Gives ms. */
  | 'family'
  /** Turns after so many that are stored already, over turns after fewer of them: that many, those, and how many to measure. Gives the ratio. */
  | 'growth'
  /** So many workflows wait for a message. Gives the KiB of heap that each takes. */
  | 'waitingKib'
  /** From a message to one of those that wait to its next line, so many times. Gives the ms of each. */
  | 'wakes'
  /** So many steps, then one that never ends. Gives nothing. */
  | 'stopAt'
  /** In a new process: from the start of that workflow's recovery to the step that did not end. Gives ms. */
  | 'resume';

export type Work = (...counts: number[]) => Promise<number[]>;

export type Works = Readonly<Partial<Record<WorkName, Work>>>;

export interface PeerKind {
  readonly title: string;
  /** Its main package, whose version is shown. */
  readonly package: string;
  /** What it does less, or more, than the product in the same work: without this the figures mislead. */
  readonly unequal: Readonly<Partial<Record<WorkName, string>>>;
  /** Opens it on a database of its own, for as long as the process lives. `load` gives one of its packages. */
  open(load: <T>(name: string) => T, databaseUrl: string): Promise<Works>;
}

/** What is unequal of every submit that is a library's call. */
export const CALL_BESIDE_HTTP =
  'a call in the process of the load beside HTTP to another: one row; no key, tenant, agent or budget is checked.';

/** Connections of each peer, as many as the product's lanes have. */
export const POOL_SIZE = 20;
/** About what a step of the product stores. */
export const RESULT = 'x'.repeat(800);
/** What is submitted: as long as the prompts of the product's submits. */
export const PAYLOAD = { text: 'x'.repeat(1_000) };

/** Both works of a submit that is one call. */
export function submitWorks(submit: () => Promise<unknown>): Works {
  return {
    submitRate: async (callers = 1, count = 1) => [(await sideBySide(callers, count, submit)).perSecond],
    submits: async (count = 1) => (await sideBySide(1, count, submit)).samples,
  };
}

/** Both works of a workflow of no-op steps, which `run` takes to its end. */
export function stepWorks(run: (steps: number) => Promise<unknown>): Works {
  return {
    serialSteps: async (count = 1) => {
      const { samples } = await sideBySide(1, 1, () => run(count));
      return samples.map((ms) => ms / count);
    },
    parallelSteps: async (lanes = 1, each = 1) => {
      const { perSecond } = await sideBySide(lanes, lanes, () => run(each));
      return [perSecond * each];
    },
  };
}

/** The time between two points of a piece of work that somebody else starts; `ms` resolves at the second one. */
export class Stretch {
  private started = performance.now();
  private resolve: (ms: number) => void = () => undefined;
  readonly ms = new Promise<number>((resolve) => (this.resolve = resolve));

  readonly begin = (): void => void (this.started = performance.now());
  readonly end = (): void => this.resolve(performance.now() - this.started);
}
