/** What stands in for a screen that does not exist, or that failed. */
import { ApiError } from '@bullpen/client';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Button } from '../ui/button.js';

export function Missing(): ReactNode {
  const t = useText();
  return (
    <div className="blank">
      <h1 className="h1">{t('missing.title')}</h1>
      <Link className="link" to="/tasks">
        {t('missing.toTasks')}
      </Link>
    </div>
  );
}

export function Broken({ error, reset }: ErrorComponentProps): ReactNode {
  const t = useText();
  return (
    <div className="blank" role="alert">
      <h1 className="h1">{t('broken.title')}</h1>
      <FailureText error={error} />
      <Button onClick={reset}>{t('action.tryAgain')}</Button>
    </div>
  );
}

/** What went wrong, in the gateway's words where it has some, with what one needs to look it up. */
export function FailureText({ error }: { error: unknown }): ReactNode {
  const t = useText();
  if (!(error instanceof ApiError)) return <p className="mid">{String((error as Error).message)}</p>;
  const { detail, code, traceId } = error.problem;
  return (
    <>
      <p className="mid">{detail}</p>
      <details className="dim">
        <summary>{t('broken.details')}</summary>
        <code>
          {code} · {traceId}
        </code>
      </details>
    </>
  );
}
