/** Which files a task changed, in short; the diff has a place of its own. */
import type { ChangedFile, TaskDiff } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { ChangeCount } from '../../../ui/change-count.js';
import { Section } from './section.js';

const SHOWN = 12;

export function Changes({ changes, onOpen }: { changes: TaskDiff; onOpen: () => void }): ReactNode {
  const t = useText();
  const { files, insertions, deletions, list } = changes.diffstat;
  if (files === 0) return null;
  return (
    <Section
      title={t('details.changes')}
      figure={<ChangeCount insertions={insertions} deletions={deletions} />}
      end={
        <button type="button" className="link" onClick={onOpen}>
          {t('details.openDiff')}
        </button>
      }
    >
      <ul>
        {list.slice(0, SHOWN).map((file) => (
          <FileRow key={file.path} file={file} />
        ))}
        {files > SHOWN && <li className="dim">{t('details.moreFiles', { n: files - SHOWN })}</li>}
      </ul>
    </Section>
  );
}

function FileRow({ file }: { file: ChangedFile }): ReactNode {
  const slash = file.path.lastIndexOf('/');
  return (
    <li className="mid-row">
      <span className="file trunc grow" title={file.path}>
        <span className={file.status === 'deleted' ? 'gone' : undefined}>{file.path.slice(slash + 1)}</span>
        {slash > 0 && <small>{file.path.slice(0, slash)}</small>}
      </span>
      <ChangeCount insertions={file.insertions} deletions={file.deletions} />
    </li>
  );
}
