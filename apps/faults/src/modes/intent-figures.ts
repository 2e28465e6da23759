/** How often the rules for intent choose what a careful reader chose, and which of the built-in modes can be reached. */
import { ModeMachine, suggestMode } from '@bullpen/core';
import { ENGLISH_PROMPTS, KOREAN_PROMPTS, SPOKEN_PROMPTS } from '@bullpen/core/testing/prompts';
import { builtInModes } from '@bullpen/extensions';

export interface IntentFigures {
  readonly prompts: number;
  /** The share of prompts with a mode that is right. */
  readonly agreement: number;
  /** Prompts with a wrong mode of which the rules say that they are sure. */
  readonly wrongAndSure: number;
  /** Built-in modes that some prompt leads to and that the machine reaches from `idle`. */
  readonly modesReached: number;
}

/** Tells of each prompt whose mode is another. */
export function measureIntent(told: (line: string) => void): IntentFigures {
  const prompts = [...ENGLISH_PROMPTS, ...KOREAN_PROMPTS, ...SPOKEN_PROMPTS];
  const suggested = new Set<string>();
  let right = 0;
  let wrongAndSure = 0;
  for (const { text, modes, unsure } of prompts) {
    const { mode, isSure } = suggestMode(text);
    const isRight = unsure === true ? !isSure : modes.includes(mode);
    if (isRight) suggested.add(mode);
    else told(`  ${modes[0]} is wanted, ${mode} is said${isSure ? ', surely' : ''}: ${firstLine(text)}`);
    right += Number(isRight);
    wrongAndSure += Number(!isRight && isSure);
  }
  const reached = [...reachedFromIdle(new ModeMachine(builtInModes()))];
  return {
    prompts: prompts.length,
    agreement: right / prompts.length,
    wrongAndSure,
    modesReached: reached.filter((mode) => suggested.has(mode)).length,
  };
}

const NOTHING = { large_change: false, has_pending_changes: false, has_errors: false, tests_passed: false };
/** Nothing holds, or one condition does. */
const FACTS = [NOTHING, ...Object.keys(NOTHING).map((fact) => ({ ...NOTHING, [fact]: true }))];

/** Every mode that the machine itself goes to, trigger by trigger. */
function reachedFromIdle(machine: ModeMachine): ReadonlySet<string> {
  const reached = new Set(['idle']);
  for (const mode of reached)
    for (const facts of FACTS)
      for (const trigger of machine.possible(mode, facts)) {
        const choice = machine.choose(mode, trigger, facts);
        if (choice.ok) reached.add(choice.rule.to);
      }
  return reached;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
