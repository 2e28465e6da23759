/** What a checkpoint is called: by its note, or by why it was taken. */
import type { CheckpointView } from '@bullpen/contracts';
import type { TextKey } from '../../i18n/keys.js';
import type { Translate } from '../../i18n/texts.js';

/** Reasons that this page does not know yet have the name of the turn. */
const REASONS: Readonly<Record<string, TextKey>> = {
  start: 'checkpoint.start',
  turn: 'checkpoint.turn',
  request: 'checkpoint.request',
  spawn: 'checkpoint.spawn',
  before_restore: 'checkpoint.beforeRestore',
  restore: 'checkpoint.restore',
};

export function checkpointName(
  { note, reason, turn }: Pick<CheckpointView, 'note' | 'reason' | 'turn'>,
  t: Translate,
): string {
  return note ?? t(REASONS[reason] ?? 'checkpoint.turn', { turn });
}
