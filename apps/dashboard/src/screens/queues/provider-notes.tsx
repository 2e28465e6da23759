/** What holds work up right now: the queue itself, and keys of providers. */
import type { ProviderKeyView, QueueView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';

export function ProviderNotes({ queue: { flow, providers, slots } }: { queue: QueueView }): ReactNode {
  const t = useText();
  return (
    <>
      {slots.workers === 0 && (
        <div className="note failed" role="status">
          <Icon name="failed" />
          <span className="grow">
            {t('queues.noWorkers')} <code>npx bullpen up</code>
          </span>
        </div>
      )}
      {flow.state !== 'open' && (
        <div className="note waiting" role="status">
          <Icon name="paused" />
          <span className="grow">
            <b>{t(`flow.is.${flow.state}`)}</b> {flow.reason} {flow.by}
          </span>
        </div>
      )}
      {providers.map((key) => (
        <ProviderNote key={key.id} provider={key} />
      ))}
    </>
  );
}

function ProviderNote({ provider }: { provider: ProviderKeyView }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const resuming = useMutation({
    mutationFn: () => bullpen.providers.resume(provider.id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['queues'] }),
  });
  const { state, endpoint, id, pausedUntil, message, errorClass, waitingTasks } = provider;
  const until = pausedUntil === null ? '' : new Date(pausedUntil).toLocaleTimeString();
  return (
    <div className={state === 'parked' ? 'note failed' : 'note waiting'} role="status">
      <Icon name={state === 'parked' ? 'failed' : 'waiting'} />
      <span className="grow">
        <b>{state === 'parked' ? t('provider.parked') : t('provider.paused', { time: until })}</b> {endpoint},{' '}
        <code>{id}</code>: {message ?? errorClass}{' '}
        {waitingTasks > 0 && t('provider.waits', { n: waitingTasks })}
      </span>
      <Button small disabled={resuming.isPending} onClick={() => resuming.mutate()}>
        {t('provider.resume')}
      </Button>
    </div>
  );
}
