/** What stands around every screen: navigation, the state of the connection, and the keys that work everywhere. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Icon } from '../ui/icon.js';
import { Toasts } from '../ui/toast.js';
import { ConnectionMark, StaleNote } from './connection.js';
import { useShortcuts } from './keys/shortcuts.js';
import { PLACES, type Place } from './places.js';
import { pendingQuery } from './queries/interactions.js';
import { systemQuery } from './queries/system.js';
import { useWaitsInTitle } from './title.js';

export function Shell(): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  useShortcuts(Object.fromEntries(PLACES.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])));
  const { data: pending } = useQuery(pendingQuery);
  useWaitsInTitle(pending?.data.length ?? 0);
  return (
    <div className="app">
      <nav className="nav" aria-label={t('nav.main')}>
        <Link to="/" className="brand">
          <Icon name="mark" />
          <span className="label">Bullpen</span>
        </Link>
        {PLACES.map((place) => (
          <NavItem key={place.to} place={place} />
        ))}
        <div className="foot">
          <ConnectionMark />
        </div>
      </nav>
      <main className="main">
        <StaleNote />
        <Outlet />
      </main>
      <nav className="tabbar" aria-label={t('nav.main')}>
        {PLACES.map(({ to, icon, text }) => (
          <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
            <Icon name={icon} />
            {t(text)}
            {to === '/inbox' && <Waits />}
          </Link>
        ))}
      </nav>
      <Toasts />
    </div>
  );
}

function NavItem({ place: { to, icon, text } }: { place: Place }): ReactNode {
  const t = useText();
  return (
    <Link className="item" to={to} title={t(text)} activeProps={{ 'aria-current': 'page' }}>
      <Icon name={icon} />
      <span className="label">{t(text)}</span>
      {to === '/inbox' && <Waits />}
      {to === '/tasks' && <Running />}
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

function Running(): ReactNode {
  const t = useText();
  const { data } = useQuery(systemQuery);
  const n = data?.tasks['running'] ?? 0;
  if (n === 0) return null;
  return (
    <span className="n">
      {n}
      <span className="vh"> {t('nav.running')}</span>
    </span>
  );
}
