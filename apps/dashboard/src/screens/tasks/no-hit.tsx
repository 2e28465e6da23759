/** Nothing fits: the filter in words, and the way out. */
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import type { TasksSearch } from './filter.js';

/** The narrowest first. */
const PARTS = ['q', 'failure', 'tag', 'agent', 'state', 'since', 'archived'] as const;

export function NoHit({ search }: { search: TasksSearch }): ReactNode {
  const t = useText();
  const navigate = useNavigate({ from: '/tasks' });
  const narrowest = PARTS.find((part) => search[part] !== undefined);
  const words = PARTS.flatMap((part) => (search[part] === undefined ? [] : [String(search[part])]));
  return (
    <div className="blank">
      <b className="strong">{t('tasks.noHit')}</b>
      <span className="dim">{words.join(', ')}</span>
      {narrowest !== undefined && (
        <Button
          small
          onClick={() =>
            void navigate({ search: (before) => ({ ...before, [narrowest]: undefined }), replace: true })
          }
        >
          {t(`filter.drop.${narrowest}`)}
        </Button>
      )}
    </div>
  );
}
