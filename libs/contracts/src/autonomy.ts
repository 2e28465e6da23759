/**
 * What each autonomy is, in one table: what an agent may do under it, whether a person can be asked, how it ends, and the texts for all
 * of that. Which tools are on offer, what the policy decides, what the model is told, what commands and forms let people choose: all of
 * it follows from here. A new row fails to compile until it is complete.
 */
import { z } from 'zod';
import type { ToolGroup } from './policy.js';

interface AutonomyRules {
  /** Groups of tools that are available. */
  readonly groups: 'all' | readonly ToolGroup[];
  /** Why tools of other groups are not available, as the end of a sentence; empty where there are no others. */
  readonly withheld: string;
  /** Whether a person can be asked: `if_waiting` only in a task that waits for the answer. */
  readonly people: 'always' | 'if_waiting';
  /** What ends it: a plan that is accepted, nothing that the agent does (the user may always write again), or the result. */
  readonly ending: 'plan' | 'message' | 'result';
  /** For people who choose one, in a few words. */
  readonly choice: string;
  /** How a person accepts a plan that is carried out with it; null: plans are not carried out with it. */
  readonly acceptance: { readonly label: string; readonly hint: string } | null;
  /** For an agent that may switch. */
  readonly meaning: string;
  /** What an agent that starts with it is told. */
  readonly prompt: readonly string[];
  /** What an agent that is switched to it is told. */
  readonly notice: string;
}

const TABLE = {
  chat: {
    groups: [],
    withheld: 'a chat has no tools',
    people: 'always',
    ending: 'message',
    choice: 'talk, without tools',
    acceptance: null,
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
    choice: 'work, and ask you when needed',
    acceptance: { label: 'Accept', hint: 'it goes on and asks you when needed' },
    meaning: 'work, and ask when needed',
    prompt: ['You work on one task, in a workspace folder. Paths are relative to it.'],
    notice: 'From now on you may use all of your tools, including those that change things.',
  },
  plan: {
    groups: ['read', 'todo', 'question', 'completion'],
    withheld: 'while you plan, you may only look; put what has to be done into the plan',
    people: 'always',
    ending: 'plan',
    choice: 'look only, then present a plan',
    acceptance: null,
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
    choice: 'work alone',
    acceptance: { label: 'Accept, work alone', hint: 'anything it would ask is refused' },
    meaning: 'work on your own',
    prompt: ['You work in the background on one task, in a workspace folder. Paths are relative to it.'],
    notice: 'From now on you work on your own, with all of your tools.',
  },
} as const satisfies Record<string, AutonomyRules>;

type Name = keyof typeof TABLE;
type CarriesOut = { [A in Name]: (typeof TABLE)[A]['acceptance'] extends null ? never : A }[Name];

/** The table, by name. */
export const AUTONOMIES: Readonly<Record<Name, AutonomyRules>> = TABLE;

/**
 * How freely an agent may act. `chat` has no tools and waits for the next message after each answer; `agent` asks a person where
 * the policy does not decide; `plan` only looks, and ends with a plan that a person accepts; `background` works alone, so what
 * would be asked is denied with the reason given to the model, unless the task says that it waits for the answer.
 */
export const Autonomy = z.enum(Object.keys(TABLE) as [Name, ...Name[]]).meta({ id: 'Autonomy' });
export type Autonomy = z.infer<typeof Autonomy>;

/** Those that an accepted plan may be carried out with. */
export const PLAN_AUTONOMIES = Autonomy.options.filter(
  (name): name is CarriesOut => AUTONOMIES[name].acceptance !== null,
);
export type PlanAutonomy = CarriesOut;

/** All of them with what they are, for a line of help: `chat (talk, without tools), agent (...)`. */
export const AUTONOMY_CHOICES = Autonomy.options
  .map((name) => `${name} (${AUTONOMIES[name].choice})`)
  .join(', ');
