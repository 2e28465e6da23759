/** Who is told of what happens. */
import type { WebhookView } from '@bullpen/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { webhooksQuery } from '../../app/queries/installation.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy-button.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { Dialog } from '../../ui/dialog.js';
import { FailureNote } from '../../ui/failure-text.js';
import { TextField } from '../../ui/fields.js';
import { say } from '../../ui/toast.js';
import { Section } from './section.js';

export function Webhooks(): ReactNode {
  const t = useText();
  const { data, error } = useQuery(webhooksQuery);
  const [opened, open] = useState<'new' | WebhookView | null>(null);
  return (
    <>
      <Section
        title={t('webhooks.title')}
        actions={
          <Button small onClick={() => open('new')}>
            {t('webhooks.new')}
          </Button>
        }
        rows={data}
        error={error}
        none={t('webhooks.none')}
      >
        {(webhooks) => (
          <ul className="mini pad">
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} onDelete={() => open(webhook)} />
            ))}
          </ul>
        )}
      </Section>
      {opened === 'new' && <NewWebhook onClose={() => open(null)} />}
      {opened !== null && opened !== 'new' && <DeleteWebhook webhook={opened} onClose={() => open(null)} />}
    </>
  );
}

function WebhookRow({ webhook, onDelete }: { webhook: WebhookView; onDelete: () => void }): ReactNode {
  const t = useText();
  const { id, url, description, events, failures, disabledReason } = webhook;
  const testing = useMutation({
    mutationFn: () => bullpen.webhooks.test(id),
    onSuccess: ({ state }) => say(t('webhooks.tested', { state })),
    onError: (error) => say(error.message),
  });
  return (
    <li>
      <span className="trunc">
        <span className="strong">{url}</span> <span className="dim">{description}</span>
        <span className="sub">
          {disabledReason ??
            (failures > 0
              ? t('webhooks.failing', { n: failures })
              : t('webhooks.events', { n: events.length }))}
        </span>
      </span>
      <Button small disabled={testing.isPending} onClick={() => testing.mutate()}>
        {t('webhooks.test')}
      </Button>
      <Button small kind="danger" onClick={onDelete}>
        {t('webhooks.delete')}
      </Button>
    </li>
  );
}

function NewWebhook({ onClose }: { onClose: () => void }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const making = useMutation({
    mutationFn: () => bullpen.webhooks.create({ url: url.trim() }),
    onSuccess: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  return (
    <Dialog
      title={t('webhooks.new')}
      onClose={onClose}
      footer={
        making.isSuccess ? (
          <Button onClick={onClose}>{t('action.close')}</Button>
        ) : (
          <>
            <Button
              kind="primary"
              disabled={url.trim() === '' || making.isPending}
              onClick={() => making.mutate()}
            >
              {t('webhooks.make')}
            </Button>
            <Button onClick={onClose}>{t('action.notNow')}</Button>
          </>
        )
      }
    >
      {making.data === undefined ? (
        <>
          <TextField label={t('webhooks.url')} placeholder="https://" value={url} onChange={setUrl} />
          {making.error !== null && <FailureNote error={making.error} />}
        </>
      ) : (
        <>
          <p>{t('webhooks.once')}</p>
          <div className="code">
            <CopyButton text={making.data.secret} />
            <code>{making.data.secret}</code>
          </div>
        </>
      )}
    </Dialog>
  );
}

function DeleteWebhook({ webhook, onClose }: { webhook: WebhookView; onClose: () => void }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => bullpen.webhooks.delete(webhook.id),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  return (
    <ActDialog
      title={t('webhooks.deleteTitle')}
      act={t('webhooks.deleteDo')}
      kind="danger"
      disabled={deleting.isPending}
      onAct={() => deleting.mutate()}
      error={deleting.error}
      onClose={onClose}
    >
      <p>
        <code>{webhook.url}</code>
      </p>
    </ActDialog>
  );
}
