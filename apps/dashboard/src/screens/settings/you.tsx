/** Who is signed in, and what the key may do. */
import type { Identity } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { say } from '../../ui/toast.js';

export function You({ me }: { me: Identity }): ReactNode {
  const t = useText();
  const signOut = (): void =>
    void bullpen.identity.signOut().then(
      () => location.assign('/login'),
      (error: unknown) => say(String(error)),
    );
  return (
    <section className="boxed" aria-label={t('settings.you')}>
      <header>
        <h2>{t('settings.you')}</h2>
        <span className="grow" />
        <Button small onClick={signOut}>
          {t('settings.signOut')}
        </Button>
      </header>
      <dl className="kv pad">
        <dt>{t('settings.key')}</dt>
        <dd>
          {me.keyName} <code className="dim">{me.keyId}</code>
        </dd>
        <dt>{t('settings.tenant')}</dt>
        <dd>{me.tenantName}</dd>
        <dt>{t('settings.scopes')}</dt>
        <dd>{me.scopes.join(', ')}</dd>
      </dl>
    </section>
  );
}
