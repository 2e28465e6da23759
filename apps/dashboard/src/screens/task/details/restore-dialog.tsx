/** Before a checkpoint is restored: what that would change, in figures, for the files, the conversation, or both. */
import type { CheckpointView, RestoreScope, RestoreView } from '@bullpen/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText, type Translate } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { Choice } from '../../../ui/choice.js';
import { ActDialog } from '../../../ui/act-dialog.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { say } from '../../../ui/toast.js';
import { checkpointName } from '../checkpoint-name.js';
import { useShownTask } from '../task-context.js';

interface RestoreDialogProps {
  readonly checkpoint: CheckpointView;
  readonly onClose: () => void;
  readonly onFork: () => void;
}

const SCOPES: readonly RestoreScope[] = ['history', 'files', 'both'];

export function RestoreDialog({ checkpoint, onClose, onFork }: RestoreDialogProps): ReactNode {
  const t = useText();
  const { task } = useShownTask();
  const [what, choose] = useState<RestoreScope>('history');
  const look = useLook(task.id, checkpoint.id, what);
  const restore = useMutation({
    mutationFn: () =>
      bullpen.checkpoints.restore(task.id, { checkpointId: checkpoint.id, what, dryRun: false }),
    onSuccess: () => {
      say(t('restore.begun'));
      onClose();
    },
  });
  return (
    <ActDialog
      title={t('restore.title', { name: checkpointName(checkpoint, t) })}
      act={t(`restore.act.${what}`)}
      disabled={restore.isPending || look.view === null}
      onAct={() => restore.mutate()}
      error={restore.error}
      more={
        <Button kind="quiet" icon="fork" onClick={onFork}>
          {t('restore.fork')}
        </Button>
      }
      onClose={onClose}
    >
      <Choice
        label={t('restore.what')}
        value={what}
        onChange={choose}
        options={SCOPES.map((value) => ({
          value,
          label: t(`restore.${value}`),
          hint: t(`restore.${value}How`),
        }))}
      />
      {look.error !== null ? <FailureNote error={look.error} /> : <Preview view={look.view} />}
      <p className="dim">{t('restore.before')}</p>
    </ActDialog>
  );
}

/** Between two looks at what a worker found, in ms. */
const AGAIN_MS = 400;

/** What it would change. Files are looked at by a worker that has them, so that it may take a moment. */
function useLook(taskId: string, checkpointId: string, what: RestoreScope) {
  const asked = useQuery({
    queryKey: ['restore', taskId, checkpointId, what],
    queryFn: ({ signal }) => bullpen.checkpoints.restore(taskId, { checkpointId, what }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
  const isPending = asked.data?.state === 'pending';
  const found = useQuery({
    queryKey: ['restore', asked.data?.id],
    queryFn: ({ signal }) => bullpen.checkpoints.restored(asked.data?.id ?? '', { signal }),
    enabled: isPending,
    refetchInterval: ({ state }) =>
      state.data?.state === 'pending' || state.data === undefined ? AGAIN_MS : false,
    gcTime: 0,
  });
  const view = isPending ? found.data : asked.data;
  const error = asked.error ?? found.error ?? (view?.failure == null ? null : new Error(view.failure));
  return { error, view: view === undefined || view.state === 'pending' ? null : view };
}

function Preview({ view }: { view: RestoreView | null }): ReactNode {
  const t = useText();
  if (view === null) return <p className="dim">{t('restore.looks')}</p>;
  return (
    <>
      <ul className="mid">
        {linesOf(view, t).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {view.files !== null && view.files.changes.count > 0 && (
        <ul className="restore-files mono">
          {view.files.changes.list.map(({ path, action }) => (
            <li key={path}>
              <span className="dim">{t(`restore.action.${action}`)}</span> {path}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function linesOf({ files, history }: RestoreView, t: Translate): string[] {
  return [
    ...(history === null ? [] : [t('restore.messages', { n: history.messages, turn: history.turn })]),
    ...(files === null ? [] : [t('restore.changes', { n: files.changes.count })]),
    ...(files !== null && files.kept.count > 0 ? [t('restore.kept', { n: files.kept.count })] : []),
    ...(files !== null && files.conflicts.count > 0
      ? [t('restore.conflicts', { n: files.conflicts.count })]
      : []),
  ];
}
