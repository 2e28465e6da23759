/** An icon of the sprite; decoration only, so words stand beside it or in a label. */
import type { ReactNode } from 'react';
import sprite from './icons.svg?no-inline';

export type IconName =
  | 'agents'
  | 'ask'
  | 'cancelled'
  | 'check'
  | 'cols'
  | 'completed'
  | 'copy'
  | 'down'
  | 'failed'
  | 'failures'
  | 'file'
  | 'filter'
  | 'flag'
  | 'fork'
  | 'inbox'
  | 'left'
  | 'mark'
  | 'modes'
  | 'money'
  | 'more'
  | 'needs'
  | 'pause'
  | 'paused'
  | 'plan'
  | 'plus'
  | 'question'
  | 'queued'
  | 'queues'
  | 'retry'
  | 'right'
  | 'running'
  | 'search'
  | 'send'
  | 'settings'
  | 'share'
  | 'stuck'
  | 'tasks'
  | 'terminal'
  | 'up'
  | 'usage'
  | 'waiting'
  | 'wide'
  | 'x';

export function Icon({ name, small = false }: { name: IconName; small?: boolean }): ReactNode {
  return (
    <svg className={small ? 'i sm' : 'i'} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
