/** Fires a trigger of the mode that a task is in, with a reason that its agent reads. */
import type { TransitionsView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { Select, TextField } from '../../../ui/fields.js';
import { transitionsQuery } from '../queries.js';

export function FireForm({ view }: { view: TransitionsView }): ReactNode {
  const t = useText();
  const { taskId, mode, possible, impossible, history } = view;
  const [wanted, choose] = useState('');
  const [reason, write] = useState('');
  const queries = useQueryClient();
  const firing = useMutation({
    // What is fired is what was looked at: when the task has gone on meanwhile, it is refused and shown anew.
    mutationFn: (trigger: string) =>
      bullpen.tasks.fireTrigger(taskId, {
        trigger,
        ifSeq: history.length,
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      }),
    onSuccess: (now) => {
      queries.setQueryData(transitionsQuery(taskId).queryKey, now);
      choose('');
      write('');
    },
    onError: () => void queries.invalidateQueries({ queryKey: transitionsQuery(taskId).queryKey }),
  });
  const ways = [
    ...possible.map((way) => ({ ...way, label: `${way.trigger} → ${way.to}` })),
    // A trigger may have another rule, whose condition is met.
    ...impossible
      .filter(({ trigger }) => possible.every((way) => way.trigger !== trigger))
      .map((way) => ({ ...way, label: `${way.trigger} → ${way.to} (${t('modes.notNow')})` })),
  ];
  const trigger = ways.some((way) => way.trigger === wanted) ? wanted : (ways[0]?.trigger ?? '');
  const means = possible.find((way) => way.trigger === trigger)?.means;
  const fire = (): void => {
    if (!firing.isPending && trigger !== '') firing.mutate(trigger);
  };
  return (
    <section className="boxed" aria-label={t('modes.fire')}>
      <div className="pad fire-form">
        <Select
          label={t('modes.trigger')}
          hint={means}
          value={trigger}
          options={ways.map(({ trigger: value, label }) => ({ value, label }))}
          onChange={choose}
        />
        <TextField
          label={t('modes.reason')}
          hint={t('modes.reasonHow')}
          value={reason}
          onChange={write}
          onSubmit={fire}
        />
        <Button kind="primary" disabled={trigger === '' || firing.isPending} onClick={fire}>
          {t('modes.fireIt', { trigger })}
        </Button>
      </div>
      {firing.error !== null && <FailureNote error={firing.error} />}
      {impossible.length > 0 && (
        <ul className="pad mode-rules" aria-label={t('modes.impossible', { mode: mode ?? '' })}>
          {impossible.map((way) => (
            <li key={`${way.trigger} ${way.to}`}>
              <code>{way.trigger}</code> → {way.to} <small className="dim">{way.why}</small>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
