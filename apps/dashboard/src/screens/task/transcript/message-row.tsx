/** What the person, the harness or the model said. */
import type { MessageRow } from '@bullpen/client';
import { memo, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Linked } from '../../../ui/linked.js';
import { Markdown } from '../../../ui/markdown/markdown.js';
import { Clock } from '../../../ui/time.js';
import { Fold } from './fold.js';
import { useOpen } from './open-cards.js';

export const MessageView = memo(function MessageView({ row }: { row: MessageRow }): ReactNode {
  return (
    <div className={row.takenBack ? 'said gone' : 'said'}>
      {row.takenBack && <TakenBack />}
      {row.kind === 'user' ? <Heard row={row} /> : <Said row={row} />}
    </div>
  );
});

function TakenBack(): ReactNode {
  const t = useText();
  return <p className="who">{t('task.takenBack')}</p>;
}

function Heard({ row }: { row: MessageRow }): ReactNode {
  const t = useText();
  const isHarness = row.source === 'harness';
  const [isOpen, toggle] = useOpen(`${row.key} harness`);
  if (isHarness)
    return (
      <div>
        <Fold isOpen={isOpen} onToggle={toggle}>
          {t('task.fromHarness')}
        </Fold>
        {isOpen && <div className="you plain">{row.text}</div>}
      </div>
    );
  return (
    <div className="you">
      <div className="who">
        {t(row.source === 'prompt' ? 'task.prompt' : 'task.you')}, <Clock at={row.at} />
      </div>
      <div className="plain">
        <Linked text={row.text} />
      </div>
    </div>
  );
}

function Said({ row }: { row: MessageRow }): ReactNode {
  const hasText = row.text.trim() !== '';
  return (
    <>
      {row.reasoning !== '' && <Thought row={row} thinks={row.streams && !hasText} />}
      {hasText && (
        <div className="say">
          <Markdown text={row.text} streams={row.streams} />
        </div>
      )}
    </>
  );
}

/** Folded: few want to read it, and it is long. */
function Thought({ row, thinks }: { row: MessageRow; thinks: boolean }): ReactNode {
  const t = useText();
  const [isOpen, toggle] = useOpen(`${row.key} thought`);
  return (
    <div className="thought">
      <Fold isOpen={isOpen} onToggle={toggle}>
        {t(thinks ? 'task.thinks' : 'task.thought')}
      </Fold>
      {isOpen && <div className="quote plain">{row.reasoning}</div>}
    </div>
  );
}
