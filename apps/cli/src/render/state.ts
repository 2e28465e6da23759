/** How a task's state looks: one glyph, one colour, a few words. */
import {
  assertNever,
  type StopCause,
  type TaskState,
  type TaskView,
  type WaitReason,
} from '@bullpen/contracts';
import type { Colors } from '../io.js';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** One column wide. With a time given, a running task turns. */
export function stateGlyph(state: TaskState, colors: Colors, turningAt?: number): string {
  switch (state) {
    case 'queued':
      return colors.dim('○');
    case 'running':
      return colors.cyan(
        turningAt === undefined ? '●' : (SPINNER[Math.floor(turningAt / FRAME_MS) % SPINNER.length] ?? '●'),
      );
    case 'waiting':
      return colors.yellow('◌');
    case 'paused':
      return colors.yellow('‖');
    case 'completed':
      return colors.green('✓');
    case 'failed':
      return colors.red('✗');
    case 'cancelled':
      return colors.magenta('⊘');
    default:
      return assertNever(state);
  }
}

/** The state in the colour of its glyph. */
export function paintState(state: TaskState, text: string, colors: Colors): string {
  switch (state) {
    case 'queued':
      return colors.dim(text);
    case 'running':
      return colors.cyan(text);
    case 'waiting':
    case 'paused':
      return colors.yellow(text);
    case 'completed':
      return colors.green(text);
    case 'failed':
      return colors.red(text);
    case 'cancelled':
      return colors.magenta(text);
    default:
      return assertNever(state);
  }
}

const WAITS: Record<WaitReason, string> = {
  children: 'waits for subtasks',
  approval: 'needs approval',
  answer: 'needs an answer',
  message: 'waits for a message',
  backoff: 'tries again later',
  budget: 'waits: budget',
  provider: 'waits: provider',
};

/** The state of a task in words; of an imported one, that it is. */
export function taskStateWords({
  state,
  waitReason,
  stopCause,
  importedFrom,
}: Pick<TaskView, 'state' | 'waitReason' | 'stopCause' | 'importedFrom'>): string {
  const words = stateWords(state, waitReason, stopCause);
  return importedFrom === null ? words : `imported, ${words}`;
}

/** The state in words, with why it waits or why it ended when that is not plain. */
export function stateWords(state: TaskState, wait: WaitReason | null, cause: StopCause | null): string {
  if (state === 'waiting' && wait !== null) return WAITS[wait];
  if (cause === null || cause === 'goal' || cause === 'error' || cause === 'cancelled') return state;
  return `${state} (${cause.replaceAll('_', ' ')})`;
}
