/** The places of the navigation, in its order. */
import type { TextKey } from '../i18n/keys.js';
import type { IconName } from '../ui/icon.js';

export interface Place {
  readonly to: '/inbox' | '/tasks' | '/queues' | '/failures' | '/usage' | '/modes' | '/settings';
  readonly icon: IconName;
  readonly text: TextKey;
  /** The letter that follows `g`. */
  readonly key: string;
}

export const PLACES: readonly Place[] = [
  { to: '/inbox', icon: 'inbox', text: 'nav.inbox', key: 'i' },
  { to: '/tasks', icon: 'tasks', text: 'nav.tasks', key: 't' },
  { to: '/queues', icon: 'queues', text: 'nav.queues', key: 'q' },
  { to: '/failures', icon: 'failures', text: 'nav.failures', key: 'f' },
  { to: '/usage', icon: 'usage', text: 'nav.usage', key: 'u' },
  { to: '/modes', icon: 'modes', text: 'nav.modes', key: 'm' },
  { to: '/settings', icon: 'settings', text: 'nav.settings', key: 's' },
];
