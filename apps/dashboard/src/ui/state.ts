/** How a state is shown: one of eight looks, each an icon, a colour and a word. */
import type { StopCause, TaskState, WaitReason } from '@bullpen/contracts';
import type { TextKey } from '../i18n/keys.js';
import type { Translate } from '../i18n/texts.js';

export type StateLook = TaskState | 'needs';

interface Standing {
  readonly state: TaskState;
  readonly waitReason: WaitReason | null;
  readonly stopCause?: StopCause | null;
}

/** `needs`: it waits for the person who looks. */
export function lookOf({ state, waitReason }: Standing): StateLook {
  if (state !== 'waiting') return state;
  return waitReason === 'approval' || waitReason === 'answer' || waitReason === 'budget'
    ? 'needs'
    : 'waiting';
}

export function stateText({ state, waitReason }: Standing): TextKey {
  return state === 'waiting' && waitReason !== null ? `wait.${waitReason}` : `state.${state}`;
}

/** Why it ended, when the state does not say so already: `turn limit`. */
export function causeText(cause: StopCause | null | undefined, t: Translate): string | null {
  if (cause == null || cause === 'goal' || cause === 'error' || cause === 'cancelled') return null;
  return t(`cause.${cause}`);
}
