/** What stands around every ask: its kind and age, of which task it is, what became of an answer, and the answers. */
import type { InteractionKind, InteractionView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNow } from '../../app/now.js';
import { interactionQuery } from '../../app/queries/interactions.js';
import type { TextKey } from '../../i18n/keys.js';
import { useText } from '../../i18n/texts.js';
import { Key } from '../button.js';
import { FailureText } from '../failure-text.js';
import { Icon } from '../icon.js';
import { Age, Until } from '../time.js';
import { answerText } from './answer-text.js';
import { iconOf } from './asked.js';
import type { Refusal } from './use-answer.js';

export type AskLayout = 'page' | 'card';

export const KIND_TEXTS: Readonly<Record<InteractionKind, TextKey>> = {
  approval: 'ask.approval',
  question: 'ask.question',
  plan: 'ask.plan',
  budget: 'ask.budget',
  mistakes: 'ask.mistakes',
};

interface AskFrameProps {
  readonly view: InteractionView;
  readonly layout: AskLayout;
  readonly title: ReactNode;
  readonly refusal: Refusal | null;
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

export function AskFrame(props: AskFrameProps): ReactNode {
  return props.layout === 'page' ? <AskPage {...props} /> : <AskCard {...props} />;
}

function AskPage({ view, title, refusal, actions, children }: AskFrameProps): ReactNode {
  const t = useText();
  return (
    <>
      <div className="wrap">
        <div>
          <div className="row dim ask-kind">
            <span className="st needs">
              <Icon name={iconOf(view)} />
              {t(KIND_TEXTS[view.kind])}
            </span>
            <span aria-hidden="true">·</span>
            <span>
              {t('ask.asked')} <Age at={view.createdAt} />
            </span>
            <span aria-hidden="true">·</span>
            <Closing view={view} />
          </div>
          <h2 className="h1">{title}</h2>
          <AskTask view={view} />
        </div>
        {children}
        <RefusalNote view={view} refusal={refusal} />
      </div>
      <div className="acts" role="toolbar" aria-label={t('ask.answers')}>
        {view.state === 'pending' && actions}
        <span className="grow only-wide" />
        <span className="row only-wide dim">
          <Key name="J" />
          <Key name="K" />
          {t('ask.keys')}
        </span>
      </div>
    </>
  );
}

function AskCard({ view, title, refusal, actions, children }: AskFrameProps): ReactNode {
  const t = useText();
  return (
    <article className="ask" aria-label={t(KIND_TEXTS[view.kind])}>
      <header>
        <Icon name={iconOf(view)} />
        <span className="trunc">{title}</span>
        <span className="when">
          <Age at={view.createdAt} />
        </span>
      </header>
      <div className="in">
        {children}
        <RefusalNote view={view} refusal={refusal} />
      </div>
      <footer role="toolbar" aria-label={t('ask.answers')}>
        {view.state === 'pending' && actions}
      </footer>
    </article>
  );
}

function AskTask({ view }: { view: InteractionView }): ReactNode {
  return (
    <p className="mid">
      <Link className="link" to="/tasks/$taskId" params={{ taskId: view.taskId }}>
        {view.taskTitle}
      </Link>
      <span className="dim"> · {view.agent}</span>
    </p>
  );
}

/** How long it stays open. */
function Closing({ view: { expiresAt } }: { view: InteractionView }): ReactNode {
  const t = useText();
  const now = useNow();
  if (expiresAt === null) return <span className="trunc">{t('ask.staysOpen')}</span>;
  const isSoon = Date.parse(expiresAt) - now < 3_600_000;
  return (
    <span className={isSoon ? 'warnv' : undefined}>
      {t('ask.closesIn')} <Until at={expiresAt} />
    </span>
  );
}

function RefusalNote({ view, refusal }: { view: InteractionView; refusal: Refusal | null }): ReactNode {
  const t = useText();
  if (view.state !== 'pending' || refusal?.kind === 'closed') return <ClosedNote id={view.id} />;
  if (refusal === null) return null;
  return (
    <div className="note failed" role="alert">
      <Icon name="failed" />
      <span className="grow">
        {refusal.kind === 'changed' ? t('ask.changed') : <FailureText error={refusal.error} />}
      </span>
    </div>
  );
}

/** Who answered, and what; or that no answer is needed any more. */
function ClosedNote({ id }: { id: string }): ReactNode {
  const t = useText();
  const { data: view } = useQuery(interactionQuery(id));
  if (view === undefined || view.state === 'pending') return null;
  return (
    <div className="note" role="status">
      <Icon name="check" />
      <span className="grow">
        <b>{t(view.answer === null ? 'ask.noLongerNeeded' : 'ask.alreadyAnswered')}</b>{' '}
        {view.answer !== null && `${answerText(t, view.answer)}, ${view.answeredBy ?? ''}`}
      </span>
    </div>
  );
}
