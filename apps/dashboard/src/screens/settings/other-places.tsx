/** The places that have no room in the bar of a phone. */
import type { ReactNode } from 'react';
import { NavItem, TABS } from '../../app/nav.js';
import { PLACES } from '../../app/places.js';
import { useText } from '../../i18n/texts.js';

export function OtherPlaces(): ReactNode {
  const t = useText();
  return (
    <nav className="other-places only-phone" aria-label={t('nav.more')}>
      {PLACES.filter(({ to }) => TABS.every((tab) => tab.to !== to)).map((place) => (
        <NavItem key={place.to} place={place} />
      ))}
    </nav>
  );
}
