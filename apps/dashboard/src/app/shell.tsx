/** What stands around every screen: navigation, the state of the connection, and the keys that work everywhere. */
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Icon } from '../ui/icon.js';
import { ConnectionMark, StaleNote } from './connection.js';
import { useShortcuts } from './keys/shortcuts.js';
import { PLACES, type Place } from './places.js';

export function Shell(): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  useShortcuts(Object.fromEntries(PLACES.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])));
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
    </div>
  );
}

function NavItem({ place }: { place: Place }): ReactNode {
  const t = useText();
  return (
    <Link className="item" to={place.to} title={t(place.text)} activeProps={{ 'aria-current': 'page' }}>
      <Icon name={place.icon} />
      <span className="label">{t(place.text)}</span>
    </Link>
  );
}
