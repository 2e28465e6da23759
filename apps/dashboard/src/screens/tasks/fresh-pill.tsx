/** New rows wait behind it, so that nothing moves under the pointer. */
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Icon } from '../../ui/icon.js';

export function FreshPill({ n, onClick }: { n: number; onClick: () => void }): ReactNode {
  const t = useText();
  return (
    <button type="button" className="newpill" onClick={onClick}>
      <Icon name="up" small />
      {t('tasks.fresh', { n })}
    </button>
  );
}
