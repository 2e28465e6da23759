/** Settings: of this browser, and of the installation as far as the key of the session may see them. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { meQuery } from '../../app/queries/identity.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { Agents } from './agents.js';
import { BrowserSettings } from './browser-settings.js';
import { Keys } from './keys.js';
import { OtherPlaces } from './other-places.js';
import { Policies } from './policy/policies.js';
import { Providers } from './providers.js';
import { Tenants } from './tenants.js';
import { Webhooks } from './webhooks.js';
import { You } from './you.js';

export function SettingsScreen(): ReactNode {
  const t = useText();
  const { data: me } = useQuery(meQuery);
  const isAdmin = me?.scopes.includes('admin') === true;
  useTitle(t('nav.settings'));
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.settings')}</h1>
      </div>
      <div className="body">
        <div className="page settings">
          <OtherPlaces />
          <BrowserSettings />
          {me !== undefined && <You me={me} />}
          <Agents />
          <Policies />
          <Webhooks />
          {isAdmin && <Keys />}
          <Providers />
          {isAdmin && <Tenants />}
        </div>
      </div>
    </>
  );
}
