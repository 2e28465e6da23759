/** The stored states of the files, newest first. */
import type { CheckpointView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { ChangeCount } from '../../../ui/change-count.js';
import { Icon } from '../../../ui/icon.js';
import { Age } from '../../../ui/time.js';
import { checkpointName } from '../checkpoint-name.js';
import { Section } from './section.js';

const SHOWN = 20;

export function Checkpoints({ checkpoints }: { checkpoints: readonly CheckpointView[] }): ReactNode {
  const t = useText();
  if (checkpoints.length === 0) return null;
  return (
    <Section title={t('details.checkpoints')}>
      <ul>
        {checkpoints.slice(0, SHOWN).map((checkpoint) => (
          <CheckpointRow key={checkpoint.id} checkpoint={checkpoint} />
        ))}
      </ul>
    </Section>
  );
}

function CheckpointRow({ checkpoint }: { checkpoint: CheckpointView }): ReactNode {
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
        </span>
      </span>
      {diffstat !== null && diffstat.files > 0 && (
        <ChangeCount insertions={diffstat.insertions} deletions={diffstat.deletions} />
      )}
    </li>
  );
}
