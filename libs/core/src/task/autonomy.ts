/**
 * What each autonomy is, in one table: what an agent may do under it, whether a person can be asked, how it ends, and the texts for
 * all of that. Which tools are available (`offer.ts`), what the policy decides and what the model is told (`prompts.ts`) are derived
 * from here, so that they cannot contradict each other.
 */
import type { Autonomy, ToolGroup } from '@bullpen/contracts';

/** The tool whose arguments are the output of a task. */
export const COMPLETE_TASK = 'complete_task';

/** The tool that ends planning. */
export const PRESENT_PLAN = 'present_plan';

/** The tool that puts a question to a person. */
export const ASK_USER = 'ask_user';

export interface AutonomyRules {
  /** Groups of tools that are available. */
  readonly groups: 'all' | readonly ToolGroup[];
  /** Why tools of other groups are not available, as the end of a sentence; empty where there are no others. */
  readonly withheld: string;
  /** Whether a person can be asked: `if_waiting` only in a task that waits for the answer. */
  readonly people: 'always' | 'if_waiting';
  /** What ends it: a plan that is accepted, nothing that the agent does (the user may always write again), or the result. */
  readonly ending: 'plan' | 'message' | 'result';
  /** For an agent that may switch. */
  readonly meaning: string;
  /** What an agent that starts with it is told. */
  readonly prompt: readonly string[];
  /** What an agent that is switched to it is told. */
  readonly notice: string;
}

export const AUTONOMIES: Readonly<Record<Autonomy, AutonomyRules>> = {
  chat: {
    groups: [],
    withheld: 'a chat has no tools',
    people: 'always',
    ending: 'message',
    meaning: 'just talk, without tools',
    prompt: [
      'You talk with the user, and can ask questions in any of your answers. You have no tools: you cannot look anything up or change anything here; say so instead of guessing.',
    ],
    notice: 'From now on you have no tools: answer in words. You can ask the user questions in any answer.',
  },
  agent: {
    groups: 'all',
    withheld: '',
    people: 'always',
    ending: 'result',
    meaning: 'work, and ask when needed',
    prompt: ['You work on one task, in a workspace folder. Paths are relative to it.'],
    notice: 'From now on you may use all of your tools, including those that change things.',
  },
  plan: {
    groups: ['read', 'todo', 'question', 'completion'],
    withheld: 'while you plan, you may only look; put what has to be done into the plan',
    people: 'always',
    ending: 'plan',
    meaning: 'look but change nothing, then present a plan',
    prompt: [
      'You plan a task, in a workspace folder that you can read but not change. Paths are relative to it.',
      'Look around until you know what has to change and how the result will be checked. The plan says both, and leaves no decisions to whoever carries it out. The user accepts it or sends it back with remarks.',
    ],
    notice: 'From now on do not change anything: look around and make a plan.',
  },
  background: {
    groups: 'all',
    withheld: '',
    people: 'if_waiting',
    ending: 'result',
    meaning: 'work on your own',
    prompt: ['You work in the background on one task, in a workspace folder. Paths are relative to it.'],
    notice: 'From now on you work on your own, with all of your tools.',
  },
};

/** Whether tools of a group are available under an autonomy: the model is shown no others. */
export function offeredIn(autonomy: Autonomy, group: ToolGroup): boolean {
  const { groups } = AUTONOMIES[autonomy];
  return groups === 'all' || groups.includes(group);
}
