/** Answers for all that are selected: each is sent with the digest of what was shown, and what one refuses does not touch the others. */
import type { InteractionAnswer, InteractionView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { useText } from '../../i18n/texts.js';
import { DenyDialog } from '../../ui/ask/approval-dialogs.js';
import { Button, IconButton } from '../../ui/button.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { say } from '../../ui/toast.js';
import { titleOf } from './title-of.js';

export function BulkAnswers(props: { views: readonly InteractionView[]; onCleared: () => void }): ReactNode {
  const { views, onCleared } = props;
  const t = useText();
  const [opened, open] = useState<'allow' | 'deny' | null>(null);
  const sending = useAnswerAll(onCleared);
  const approvals = views.filter(({ kind }) => kind === 'approval');
  const send = (answer: InteractionAnswer): void => {
    open(null);
    sending.mutate({ views: approvals, answer });
  };
  return (
    <div className="bulk-place">
      <div className="bulk" role="toolbar" aria-label={t('bulk.selected', { n: views.length })}>
        <span className="strong num">{t('bulk.selected', { n: views.length })}</span>
        <span className="grow" />
        {approvals.length > 0 ? (
          <>
            <Button small disabled={sending.isPending} onClick={() => open('deny')}>
              {t('ask.deny')}
            </Button>
            <Button small kind="primary" disabled={sending.isPending} onClick={() => open('allow')}>
              {t('bulk.allow', { n: approvals.length })}
            </Button>
          </>
        ) : (
          <span className="dim">{t('bulk.onlyApprovals')}</span>
        )}
        <IconButton icon="x" small label={t('bulk.clear')} onClick={onCleared} />
      </div>
      {opened === 'deny' && (
        <DenyDialog
          onClose={() => open(null)}
          onDeny={(remarks) => send({ decision: 'deny', ...(remarks !== '' && { remarks }) })}
        />
      )}
      {opened === 'allow' && (
        <AllowAll
          views={approvals}
          onClose={() => open(null)}
          onAllow={() => send({ decision: 'approve' })}
        />
      )}
    </div>
  );
}

/** A look first: all that would run. */
function AllowAll(props: {
  views: readonly InteractionView[];
  onClose: () => void;
  onAllow: () => void;
}): ReactNode {
  const { views, onClose, onAllow } = props;
  const t = useText();
  return (
    <ActDialog
      title={t('bulk.allowTitle', { n: views.length })}
      act={t('bulk.allow', { n: views.length })}
      onAct={onAllow}
      onClose={onClose}
    >
      <ul className="parts">
        {views.map((view) => (
          <li key={view.id} className="one">
            <code>{titleOf(view)}</code>
            <span className="why">{view.taskTitle}</span>
          </li>
        ))}
      </ul>
    </ActDialog>
  );
}

function useAnswerAll(onDone: () => void) {
  const t = useText();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({
      views,
      answer,
    }: {
      views: readonly InteractionView[];
      answer: InteractionAnswer;
    }) => {
      const results = await Promise.allSettled(
        views.map(({ id, hash }) => bullpen.interactions.answer(id, answer, { hash })),
      );
      return results.filter(({ status }) => status === 'fulfilled').length;
    },
    onSuccess: (answered, { views }) => {
      say(
        answered === views.length
          ? t('bulk.done', { n: answered })
          : t('bulk.partly', { n: answered, m: views.length }),
      );
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['interactions'] }),
  });
}
