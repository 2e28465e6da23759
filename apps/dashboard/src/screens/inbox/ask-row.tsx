/** One row: what is asked, of which task, since when. */
import { ApprovalPayload, type InteractionView } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { answerText } from '../../ui/ask/answer-text.js';
import { commandOf, iconOf, pathOf } from '../../ui/ask/asked.js';
import { Icon } from '../../ui/icon.js';
import { Age, Until } from '../../ui/time.js';

export const AskRow = memo(function AskRowView(props: {
  view: InteractionView;
  isChosen: boolean;
  isSelected: boolean;
  onToggle: () => void;
}): ReactNode {
  const { view, isChosen, isSelected, onToggle } = props;
  const t = useText();
  const isOpen = view.state === 'pending';
  return (
    <li className={`askrow${isChosen ? ' sel' : ''}${isOpen ? '' : ' done'}`}>
      {isOpen ? (
        <input
          type="checkbox"
          className="check"
          aria-label={t('inbox.select', { title: view.title })}
          checked={isSelected}
          onChange={onToggle}
        />
      ) : (
        <span />
      )}
      <Icon name={isOpen ? iconOf(view) : 'check'} />
      <Link
        className="t trunc"
        to="/inbox"
        search={(search) => ({ ...search, ask: view.id })}
        replace
        aria-current={isChosen ? 'true' : undefined}
      >
        <Title view={view} />
      </Link>
      <span className="age">
        <Age at={view.createdAt} />
      </span>
      <span className="m">
        <span className="trunc">{isOpen ? view.taskTitle : closedText(t, view)}</span>
        {isOpen && view.expiresAt !== null && (
          <span className="warn">
            · {t('ask.closesIn')} <Until at={view.expiresAt} />
          </span>
        )}
      </span>
    </li>
  );
});

/** A command or a file in code face; all else as the gateway puts it. */
function Title({ view }: { view: InteractionView }): ReactNode {
  const t = useText();
  const asked = view.kind === 'approval' ? ApprovalPayload.safeParse(view.payload).data : undefined;
  const command = asked && commandOf(asked);
  const path = asked && pathOf(asked);
  if (command != null)
    return (
      <>
        {t('inbox.run')} <code>{command}</code>
      </>
    );
  if (path != null)
    return (
      <>
        {t('ask.changeFile')} <code>{path}</code>
      </>
    );
  // Plans are Markdown, and begin with their heading.
  return view.title.replace(/^#+ +/, '');
}

function closedText(t: ReturnType<typeof useText>, { answer, answeredBy }: InteractionView): string {
  if (answer === null) return t('ask.noLongerNeeded');
  return `${answerText(t, answer)} · ${answeredBy ?? ''}`;
}
