/** Provider keys as a table, and below it what is wrong with them: the provider's words are too long for a column. Pure. */
import { assertNever, type ProviderKeyState, type ProviderKeyView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { age } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';

/** A line for each key: whether it works, and since when not. */
export function providerTable(
  keys: readonly ProviderKeyView[],
  width: number,
  now: number,
  colors: Colors,
): string {
  const table = renderTable(
    keys,
    [
      { title: 'KEY', value: (key) => key.id },
      { title: 'STATE', value: (key) => key.state, paint: (text, key) => paint(key.state, text, colors) },
      { title: 'SINCE', value: (key) => (key.since === null ? '' : age(key.since, now)), align: 'right' },
      { title: 'WAITING', value: (key) => String(key.waitingTasks), align: 'right' },
      { title: 'WORKERS', value: (key) => String(key.workers), align: 'right' },
      { title: 'ENDPOINT', value: (key) => oneLine(key.endpoint), shrinkTo: 12 },
    ],
    width,
    colors,
  );
  const closed = keys.filter(({ state }) => state !== 'open');
  return [table, ...closed.map((key) => `${key.id} is ${paint(key.state, whyOf(key), colors)}`)].join('\n');
}

function whyOf(key: ProviderKeyView): string {
  if (key.state === 'paused') return pauseText(key);
  const { message, errorClass } = key;
  return oneLine(`parked: ${message ?? ''} (${errorClass ?? '?'})`);
}

/** Until when which models wait. */
export function pauseText({ pausedUntil, pausedModels, errorClass }: ProviderKeyView): string {
  return oneLine(`paused until ${pausedUntil ?? '?'} for ${pausedModels.join(', ')}: ${errorClass ?? '?'}`);
}

function paint(state: ProviderKeyState, text: string, colors: Colors): string {
  switch (state) {
    case 'open':
      return colors.green(text);
    case 'paused':
      return colors.yellow(text);
    case 'parked':
      return colors.red(text);
    default:
      return assertNever(state);
  }
}
