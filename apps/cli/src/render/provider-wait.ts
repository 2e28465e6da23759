/** A provider that refuses the key: what it said, and how tasks that wait because of that go on. Pure. */
import type { ProviderSays } from '@bullpen/client';
import type { Colors } from '../io.js';
import { oneLine } from './plain-text.js';

/** How tasks that wait for a parked key go on: the one or the other. */
export const KEY_STEPS = [
  'bullpen providers resume, once the key works again (check the account, its credit and its limits)',
  'give the workers another ANTHROPIC_API_KEY and start them again (bullpen up)',
] as const;

/** The provider's own words, on one line. */
export function refusalText({ errorClass, message }: ProviderSays): string {
  return `the model provider refused the key: ${oneLine(message)} (${oneLine(errorClass)})`;
}

/** The same for the screen, with what to do about it. */
export function refusalLines(says: ProviderSays, colors: Colors): string[] {
  const [resume, replace] = KEY_STEPS;
  return [
    colors.yellow(`! ${refusalText(says)}`),
    `  ${colors.cyan('next:')} ${resume}`,
    `  ${colors.cyan('  or:')} ${replace}`,
  ];
}
