/** What the conditions of work modes look at: facts of what was really done, kept with the task and shared by all of its modes. */
import type { TransitionRow } from '@bullpen/contracts';
import { z } from 'zod';

const Files = z.array(z.string());

/** A run of the tests, as its exit code and its output tell it. */
export const TestRun = z.strictObject({
  command: z.string(),
  passed: z.boolean(),
  /** How many ran; null: the output does not say. */
  count: z.int().nullable(),
  /** Percent of the lines; null: the output does not say. */
  coverage: z.number().nullable(),
  turn: z.int(),
});
export type TestRun = z.infer<typeof TestRun>;

export const ModeContext = z.strictObject({
  /** Transitions up to this one are counted in. */
  seq: z.int(),
  /** What the user wants: an answer, or something changed. Null: nobody can tell. */
  goal: z.enum(['answer', 'change']).nullable(),
  /** Files that were looked at, newest last, and symbols that were asked for. */
  files: Files,
  symbols: Files,
  /** Files that differ from the last commit of this task. */
  changed: Files,
  /** The newest run of the tests after the last change; null: there is none. */
  lastTest: TestRun.nullable(),
  lastError: z.strictObject({ tool: z.string(), text: z.string() }).nullable(),
  /** Rows up to this one no longer count against the bound of a loop: the user has said how to go on. */
  allowedSince: z.int(),
});
export type ModeContext = z.infer<typeof ModeContext>;

export const EMPTY_CONTEXT: ModeContext = {
  seq: 0,
  goal: null,
  files: [],
  symbols: [],
  changed: [],
  lastTest: null,
  lastError: null,
  allowedSince: 0,
};

/** A row of the history of modes, but for its time, which is the store's. */
export type Transition = Omit<TransitionRow, 'at'>;
