/** What stands around every screen: navigation, the state of the connection, and the keys that work everywhere. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatch, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useText, withTexts } from '../i18n/texts.js';
import { ButtonLink } from '../ui/button.js';
import { Toasts } from '../ui/toast.js';
import { ConnectionMark, StaleNote } from './connection.js';
import { useShortcuts } from './keys/shortcuts.js';
import { NavItem, TabBar } from './nav.js';
import { PLACES } from './places.js';
import { pendingQuery } from './queries/interactions.js';
import { useWaitsInTitle } from './title.js';
import { Icon } from '../ui/icon.js';

const Palette = lazy(() => withTexts(() => import('./palette/palette.js')));
const Announcer = lazy(() => withTexts(() => import('./news/announcer.js')));
const Help = lazy(() => withTexts(() => import('./palette/help.js')));

export function Shell(): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const [opened, open] = useState<'palette' | 'help' | null>(null);
  const close = (): void => open(null);
  useShortcuts({
    ...Object.fromEntries(PLACES.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])),
    c: () => void navigate({ to: '/new' }),
    'mod+k': () => open('palette'),
    '?': () => open('help'),
  });
  const { data: pending } = useQuery(pendingQuery);
  useWaitsInTitle(pending?.data.length ?? 0);
  // A task needs the room.
  const task = useMatch({ from: '/tasks/$taskId', shouldThrow: false })?.params.taskId ?? null;
  return (
    <div className={task === null ? 'app' : 'app rail'}>
      <nav className="nav" aria-label={t('nav.main')}>
        <Link to="/" className="brand" aria-label="Bullpen">
          <Icon name="mark" />
          <span className="label">Bullpen</span>
        </Link>
        <ButtonLink to="/new" className="new" icon="plus" shortcut="C" title={t('nav.new')}>
          {t('nav.new')}
        </ButtonLink>
        {PLACES.slice(0, -1).map((place) => (
          <NavItem key={place.to} place={place} />
        ))}
        <div className="foot">
          {PLACES.slice(-1).map((place) => (
            <NavItem key={place.to} place={place} />
          ))}
          <ConnectionMark />
        </div>
      </nav>
      <main className="main">
        <StaleNote />
        <Outlet />
      </main>
      <TabBar />
      <Toasts />
      <Suspense>
        <Announcer shown={task} />
      </Suspense>
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} />}
        {opened === 'help' && <Help onClose={close} />}
      </Suspense>
    </div>
  );
}
