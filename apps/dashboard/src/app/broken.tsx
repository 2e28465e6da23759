/** What stands in for a screen that does not exist, or that failed. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Button } from '../ui/button.js';
import { FailureText } from '../ui/failure-text.js';

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
      <p className="mid">
        <FailureText error={error} />
      </p>
      <Button onClick={reset}>{t('action.tryAgain')}</Button>
    </div>
  );
}
