/** Something that waited for a person, at its place: still to be answered, or how it was answered. */
import type { AskRow } from '@bullpen/client';
import { useQuery } from '@tanstack/react-query';
import { memo, type ReactNode } from 'react';
import { interactionQuery } from '../../../app/queries/interactions.js';
import type { TextKey } from '../../../i18n/keys.js';
import { useText } from '../../../i18n/texts.js';
import { Ask } from '../../../ui/ask/ask.js';
import { KIND_TEXTS } from '../../../ui/ask/ask-frame.js';
import { Icon } from '../../../ui/icon.js';
import { Clock } from '../../../ui/time.js';

export const AskView = memo(function AskView({ row }: { row: AskRow }): ReactNode {
  return row.closed === null ? (
    <OpenAsk id={row.interactionId} />
  ) : (
    <ClosedAsk row={row} closed={row.closed} />
  );
});

/** By its id: what is drawn is what is answered, and it says itself when somebody else was faster. */
function OpenAsk({ id }: { id: string }): ReactNode {
  const { data: view } = useQuery(interactionQuery(id));
  if (view === undefined) return null;
  return (
    <div data-ask={id}>
      <Ask view={view} layout="card" hasKeys={false} />
    </div>
  );
}

/** Of a task below this one, which it names. */
export function AskOfSubtask({ id, title }: { id: string; title: string }): ReactNode {
  return (
    <div>
      <div className="who">
        <Icon name="fork" small />
        {title}
      </div>
      <OpenAsk id={id} />
    </div>
  );
}

function ClosedAsk({ row, closed }: { row: AskRow; closed: NonNullable<AskRow['closed']> }): ReactNode {
  const t = useText();
  const isRefused = closed.state !== 'answered' || closed.answer?.['decision'] === 'deny';
  return (
    <div className="ask-done">
      <span className={isRefused ? 'mark no' : 'mark ok'}>
        <Icon name={isRefused ? 'x' : 'check'} />
      </span>
      <span>
        <span className="dim">{t(KIND_TEXTS[row.of])}</span> {row.title}
        <span className="dim">
          {' · '}
          {t(endOf(closed), { by: closed.by ?? t('ask.somebody') })} <Clock at={row.at} />
        </span>
        <Words answer={closed.answer} />
      </span>
    </div>
  );
}

function endOf({ state, answer }: NonNullable<AskRow['closed']>): TextKey {
  if (state === 'expired') return 'ask.wasExpired';
  if (state === 'withdrawn') return 'ask.wasWithdrawn';
  if (answer?.['decision'] === 'approve') return 'ask.wasAllowed';
  return answer?.['decision'] === 'deny' ? 'ask.wasDenied' : 'ask.wasAnswered';
}

/** What was said with the answer. */
function Words({ answer }: { answer: NonNullable<AskRow['closed']>['answer'] }): ReactNode {
  const said = ['remarks', 'text', 'guidance', 'choices'].flatMap((name) => answer?.[name] ?? []);
  const words = said.filter((value) => typeof value === 'string');
  return words.length === 0 ? null : <span className="quote">{words.join(', ')}</span>;
}
