/** The items of the navigation, with what is counted beside them; and the bar of a phone. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Icon, type IconName } from '../ui/icon.js';
import type { TextKey } from '../i18n/keys.js';
import type { Place } from './places.js';
import { pendingQuery } from './queries/interactions.js';
import { systemQuery } from './queries/system.js';

export function NavItem({ place: { to, icon, text } }: { place: Place }): ReactNode {
  const t = useText();
  return (
    <Link className="item" to={to} title={t(text)} activeProps={{ 'aria-current': 'page' }}>
      <Icon name={icon} />
      <span className="label">{t(text)}</span>
      {to === '/inbox' && <Waits />}
      {to === '/tasks' && <StateCount state="running" text="nav.running" />}
      {to === '/queues' && <StateCount state="queued" text="nav.queued" />}
    </Link>
  );
}

/** How much waits for the person. */
function Waits(): ReactNode {
  const t = useText();
  const { data } = useQuery(pendingQuery);
  const n = data?.data.length ?? 0;
  if (n === 0) return null;
  return (
    <span className="n count">
      {data?.hasMore ? `${n}+` : n}
      <span className="vh"> {t('nav.waits')}</span>
    </span>
  );
}

function StateCount({ state, text }: { state: 'running' | 'queued'; text: TextKey }): ReactNode {
  const t = useText();
  const { data } = useQuery(systemQuery);
  const n = data?.tasks[state] ?? 0;
  if (n === 0) return null;
  return (
    <span className="n">
      {n}
      <span className="vh"> {t(text)}</span>
    </span>
  );
}

export const TABS: readonly {
  to: '/inbox' | '/tasks' | '/new' | '/queues' | '/settings';
  icon: IconName;
  text: TextKey;
}[] = [
  { to: '/inbox', icon: 'inbox', text: 'nav.inbox' },
  { to: '/tasks', icon: 'tasks', text: 'nav.tasks' },
  { to: '/new', icon: 'plus', text: 'nav.newShort' },
  { to: '/queues', icon: 'queues', text: 'nav.queues' },
  { to: '/settings', icon: 'more', text: 'nav.more' },
];

export function TabBar(): ReactNode {
  const t = useText();
  return (
    <nav className="tabbar" aria-label={t('nav.tabs')}>
      {TABS.map(({ to, icon, text }) => (
        <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
          <Icon name={icon} />
          {t(text)}
          {to === '/inbox' && <Waits />}
        </Link>
      ))}
    </nav>
  );
}
