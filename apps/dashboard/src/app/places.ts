/** The places of the navigation, in its order. */
import type { TextKey } from '../i18n/keys.js';
import type { IconName } from '../ui/icon.js';

export interface Place {
  readonly to: '/inbox' | '/tasks';
  readonly icon: IconName;
  readonly text: TextKey;
  /** The letter that follows `g`. */
  readonly key: string;
}

export const PLACES: readonly Place[] = [
  { to: '/inbox', icon: 'inbox', text: 'nav.inbox', key: 'i' },
  { to: '/tasks', icon: 'tasks', text: 'nav.tasks', key: 't' },
];
