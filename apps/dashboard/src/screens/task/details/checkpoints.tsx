/** The stored states of the files, newest first, and what can be done from each. */
import type { CheckpointView } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Button, IconButton } from '../../../ui/button.js';
import { ChangeCount } from '../../../ui/change-count.js';
import { Icon } from '../../../ui/icon.js';
import { Age } from '../../../ui/time.js';
import { checkpointName } from '../checkpoint-name.js';
import { ForkDialog } from './fork-dialog.js';
import { RestoreDialog } from './restore-dialog.js';
import { Section } from './section.js';

const SHOWN = 20;

interface Opened {
  readonly dialog: 'fork' | 'restore';
  readonly checkpoint: CheckpointView;
}

export function Checkpoints(props: {
  checkpoints: readonly CheckpointView[];
  onCompare: () => void;
}): ReactNode {
  const { checkpoints, onCompare } = props;
  const t = useText();
  const [opened, open] = useState<Opened | null>(null);
  if (checkpoints.length === 0) return null;
  const close = (): void => open(null);
  return (
    <Section
      title={t('details.checkpoints')}
      end={
        checkpoints.length > 1 && (
          <button type="button" className="link" onClick={onCompare}>
            {t('details.compare')}
          </button>
        )
      }
    >
      <ul>
        {checkpoints.slice(0, SHOWN).map((checkpoint) => (
          <CheckpointRow
            key={checkpoint.id}
            checkpoint={checkpoint}
            onOpen={(dialog) => open({ dialog, checkpoint })}
          />
        ))}
      </ul>
      {opened?.dialog === 'fork' && <ForkDialog checkpoint={opened.checkpoint} onClose={close} />}
      {opened?.dialog === 'restore' && (
        <RestoreDialog
          checkpoint={opened.checkpoint}
          onClose={close}
          onFork={() => open({ ...opened, dialog: 'fork' })}
        />
      )}
    </Section>
  );
}

interface CheckpointRowProps {
  readonly checkpoint: CheckpointView;
  readonly onOpen: (dialog: Opened['dialog']) => void;
}

function CheckpointRow({ checkpoint, onOpen }: CheckpointRowProps): ReactNode {
  const t = useText();
  const { createdAt, diffstat } = checkpoint;
  return (
    <li className="mid-row">
      <Icon name="flag" />
      <span className="trunc grow">
        {checkpointName(checkpoint, t)}
        <span className="dim">
          {' · '}
          <Age at={createdAt} />
        </span>{' '}
        {diffstat !== null && diffstat.files > 0 && (
          <ChangeCount insertions={diffstat.insertions} deletions={diffstat.deletions} />
        )}
      </span>
      <span className="row row-acts">
        <IconButton icon="fork" small label={t('details.fork')} onClick={() => onOpen('fork')} />
        <Button small onClick={() => onOpen('restore')}>
          {t('details.restore')}
        </Button>
      </span>
    </li>
  );
}
