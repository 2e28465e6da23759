/** Lets a queue or a worker take work, or not. What holds work up is asked first. */
import type { Flow } from '@bullpen/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { meQuery } from '../../app/queries/identity.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { TextField } from '../../ui/fields.js';

type Subject =
  { readonly kind: 'queue'; readonly name: string } | { readonly kind: 'worker'; readonly name: string };
type Verb = 'pause' | 'drain' | 'resume';

export function FlowButtons(props: { subject: Subject; flow: Flow; small?: boolean }): ReactNode {
  const { subject, flow, small = false } = props;
  const t = useText();
  const [verb, choose] = useState<Exclude<Verb, 'resume'> | null>(null);
  const changing = useFlowChange(subject, () => choose(null));
  const { data: me } = useQuery(meQuery);
  if (me?.scopes.includes('admin') !== true) return null;
  if (flow.state !== 'open')
    return (
      <Button
        small={small}
        disabled={changing.isPending}
        onClick={() => changing.mutate({ verb: 'resume', reason: '' })}
      >
        {t('flow.resume')}
      </Button>
    );
  return (
    <>
      {subject.kind === 'queue' && (
        <Button small={small} icon="pause" onClick={() => choose('pause')}>
          {t('flow.pause')}
        </Button>
      )}
      <Button small={small} onClick={() => choose('drain')}>
        {t('flow.drain')}
      </Button>
      {verb !== null && (
        <FlowDialog
          subject={subject}
          verb={verb}
          error={changing.error}
          onClose={() => choose(null)}
          onDo={(reason) => changing.mutate({ verb, reason })}
        />
      )}
    </>
  );
}

function useFlowChange({ kind, name }: Subject, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ verb, reason }: { verb: Verb; reason: string }): Promise<void> => {
      const body = reason === '' ? {} : { reason };
      if (kind === 'queue') await bullpen.queues[verb](name, body);
      else await bullpen.workers[verb](name, body);
    },
    onSuccess: onDone,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['queues'] }),
        queries.invalidateQueries({ queryKey: ['workers'] }),
      ]),
  });
}

function FlowDialog(props: {
  subject: Subject;
  verb: Exclude<Verb, 'resume'>;
  error: Error | null;
  onClose: () => void;
  onDo: (reason: string) => void;
}): ReactNode {
  const { subject, verb, error, onClose, onDo } = props;
  const t = useText();
  const [reason, setReason] = useState('');
  return (
    <ActDialog
      title={t(`flow.${subject.kind}.${verb}`, { name: subject.name })}
      act={t(`flow.do.${verb}`)}
      kind="danger"
      onAct={() => onDo(reason.trim())}
      error={error}
      onClose={onClose}
    >
      <p>{t(`flow.${subject.kind}.${verb}How`)}</p>
      <TextField label={t('flow.reason')} value={reason} onChange={setReason} />
    </ActDialog>
  );
}
