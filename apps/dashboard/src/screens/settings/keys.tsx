/** The keys of the tenant. A new one is shown once. */
import type { ApiKeyView } from '@bullpen/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { keysQuery } from '../../app/queries/identity.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { Choices } from '../../ui/choice.js';
import { CopyButton } from '../../ui/copy-button.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { Dialog } from '../../ui/dialog.js';
import { FailureNote } from '../../ui/failure-text.js';
import { TextField } from '../../ui/fields.js';
import { Age } from '../../ui/time.js';
import { Section } from './section.js';

export function Keys(): ReactNode {
  const t = useText();
  const { data, error } = useQuery(keysQuery);
  const [opened, open] = useState<'new' | ApiKeyView | null>(null);
  return (
    <>
      <Section
        title={t('keys.title')}
        actions={
          <Button small onClick={() => open('new')}>
            {t('keys.new')}
          </Button>
        }
        rows={data?.filter(({ revokedAt }) => revokedAt === null)}
        error={error}
        none={t('keys.none')}
      >
        {(keys) => (
          <ul className="mini pad">
            {keys.map((key) => (
              <li key={key.id}>
                <span className="trunc">
                  <span className="strong">{key.name}</span>{' '}
                  <span className="dim">{key.scopes.join(', ')}</span>
                </span>
                <span className="dim num">
                  {key.lastUsedAt === null ? t('keys.neverUsed') : <Age at={key.lastUsedAt} />}
                </span>
                <Button small kind="danger" onClick={() => open(key)}>
                  {t('keys.revoke')}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Section>
      {opened === 'new' && <NewKey onClose={() => open(null)} />}
      {opened !== null && opened !== 'new' && <RevokeKey apiKey={opened} onClose={() => open(null)} />}
    </>
  );
}

const SCOPES = ['read', 'write', 'admin'] as const;

function NewKey({ onClose }: { onClose: () => void }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<(typeof SCOPES)[number][]>(['read', 'write']);
  const making = useMutation({
    mutationFn: () => bullpen.identity.createKey({ name: name.trim(), scopes }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const isReady = name.trim() !== '' && scopes.length > 0 && !making.isPending;
  return (
    <Dialog
      title={t('keys.new')}
      onClose={onClose}
      footer={
        making.isSuccess ? (
          <Button onClick={onClose}>{t('action.close')}</Button>
        ) : (
          <>
            <Button kind="primary" disabled={!isReady} onClick={() => making.mutate()}>
              {t('keys.make')}
            </Button>
            <Button onClick={onClose}>{t('action.notNow')}</Button>
          </>
        )
      }
    >
      {making.data === undefined ? (
        <>
          <TextField label={t('keys.name')} value={name} onChange={setName} />
          <Choices
            label={t('settings.scopes')}
            options={SCOPES.map((value) => ({ value, label: value, hint: t(`keys.${value}`) }))}
            values={scopes}
            onChange={setScopes}
          />
          {making.error !== null && <FailureNote error={making.error} />}
        </>
      ) : (
        <>
          <p>{t('keys.once')}</p>
          <div className="code">
            <CopyButton text={making.data.key} />
            <code>{making.data.key}</code>
          </div>
        </>
      )}
    </Dialog>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKeyView; onClose: () => void }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => bullpen.identity.revokeKey(apiKey.id),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  return (
    <ActDialog
      title={t('keys.revokeTitle', { name: apiKey.name })}
      act={t('keys.revokeDo')}
      kind="danger"
      disabled={revoking.isPending}
      onAct={() => revoking.mutate()}
      error={revoking.error}
      onClose={onClose}
    >
      <p>{t('keys.revokeHow')}</p>
    </ActDialog>
  );
}
