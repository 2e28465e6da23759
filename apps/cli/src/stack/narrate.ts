/** What happens to a stack, as lines for people. Pure but for counting, so that a flood of warnings stays a trickle. */
import type { Colors } from '../io.js';
import { duration, soon } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import { truncate } from '../render/width.js';
import type { StackEvent } from './stack.js';

const LOG_LINES_A_MINUTE = 5;
const MINUTE_MS = 60_000;
const NAME_WIDTH = 11;

export interface Narrator {
  /** The line for an event, or null when it is not worth one. */
  tell(event: StackEvent, now: number, width: number): string | null;
}

/** One narrator for the life of a stack. */
export function createNarrator(colors: Colors): Narrator {
  const logTimes = new Map<string, number[]>();
  const line = (name: string, text: string): string => `  ${colors.bold(name.padEnd(NAME_WIDTH))} ${text}`;

  function logLine(event: Extract<StackEvent, { type: 'log' }>, now: number, width: number): string | null {
    const recent = (logTimes.get(event.name) ?? []).filter((at) => now - at < MINUTE_MS);
    logTimes.set(event.name, [...recent, now].slice(-LOG_LINES_A_MINUTE - 1));
    if (recent.length > LOG_LINES_A_MINUTE) return null;
    if (recent.length === LOG_LINES_A_MINUTE)
      return line(event.name, colors.dim('… more of this is in its log file'));
    const paint = event.level === 'warn' ? colors.yellow : colors.red;
    const text = truncate(oneLine(event.text), width - NAME_WIDTH - event.level.length - 6);
    return line(event.name, `${paint(event.level)}: ${text}`);
  }

  function crashLine(event: Extract<StackEvent, { type: 'crashed' }>, width: number): string {
    const head = line(
      event.name,
      `${colors.red('ended')} (${event.how}); starting it again ${soon(event.restartInMs)}`,
    );
    const why = event.why === null ? '' : oneLine(event.why);
    return why === ''
      ? head
      : `${head}\n${' '.repeat(NAME_WIDTH + 3)}${colors.dim(truncate(why, width - NAME_WIDTH - 3))}`;
  }

  return {
    tell(event, now, width) {
      switch (event.type) {
        case 'starting':
          return null;
        case 'migrated':
          return line(
            'database',
            event.applied.length === 0 ? 'ready' : `ready (migrated: ${event.applied.length})`,
          );
        case 'up':
          return line(
            event.name,
            event.again ? `${colors.green('running again')} (process ${event.pid})` : 'ready',
          );
        case 'crashed':
          return crashLine(event, width);
        case 'stopping':
          return null;
        case 'stopped':
          return line(
            event.name,
            event.killed
              ? colors.yellow('killed: it did not stop in time')
              : `stopped (${duration(event.durationMs)})`,
          );
        case 'log':
          return logLine(event, now, width);
        default:
          return event satisfies never;
      }
    },
  };
}
