/** What went wrong, in the gateway's words where it has some, with what one needs to look it up. */
import { ApiError } from '@bullpen/client';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

export function FailureText({ error }: { error: unknown }): ReactNode {
  const t = useText();
  if (!(error instanceof ApiError))
    return <span>{error instanceof Error ? error.message : String(error)}</span>;
  const { detail, code, traceId } = error.problem;
  return (
    <span>
      {detail}
      <details className="dim">
        <summary>{t('broken.details')}</summary>
        <code>
          {code} · {traceId}
        </code>
      </details>
    </span>
  );
}

/** In the place of what could not be read; what stands beside it stays. */
export function FailureNote({ error, retry }: { error: unknown; retry?: () => void }): ReactNode {
  const t = useText();
  return (
    <div className="note failed" role="alert">
      <Icon name="failed" />
      <span className="grow">
        <FailureText error={error} />
      </span>
      {retry !== undefined && (
        <Button small onClick={retry}>
          {t('action.tryAgain')}
        </Button>
      )}
    </div>
  );
}
