/** The files of a patch, one after the other: `j` and `k` go, `v` ticks one off, `u` switches between one column and two. */
import { useMemo, useRef, useState, type ReactNode } from 'react';
import type { ViewType } from 'react-diff-view';
import { useShortcuts } from '../../../app/keys/shortcuts.js';
import { useText } from '../../../i18n/texts.js';
import { ChangeCount } from '../../../ui/change-count.js';
import { FileDiff } from '../../../ui/diff/diff.js';
import { filesOf, type FileChange } from '../../../ui/diff/patch.js';
import { DownloadButton } from '../../../ui/download-button.js';
import { Fold } from '../transcript/fold.js';
import { useTaskId } from '../task-context.js';
import { Segments } from './segments.js';
import { useViewed } from './use-viewed.js';
import { isViewed } from './viewed.js';

const VIEWS = ['unified', 'split'] as const;

export function ChangedFiles({ patch }: { patch: string }): ReactNode {
  const t = useText();
  const taskId = useTaskId();
  const list = useRef<HTMLDivElement>(null);
  const [view, show] = useState<ViewType>('unified');
  const [at, setAt] = useState(-1);
  const [viewed, toggle] = useViewed(taskId);
  const files = useMemo(() => filesOf(patch) ?? [], [patch]);
  const done = files.filter((file) => isViewed(viewed, file)).length;
  const go = (to: number): void => {
    const next = Math.min(Math.max(to, 0), files.length - 1);
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const tickOff = (): void => {
    const file = files[Math.max(0, at)];
    if (file === undefined) return;
    toggle(file);
    // Whoever ticks one off goes on to the next.
    go(isViewed(viewed, file) ? at : Math.max(0, at) + 1);
  };
  useShortcuts({
    j: () => go(at + 1),
    k: () => go(at - 1),
    u: () => show(view === 'unified' ? 'split' : 'unified'),
    v: tickOff,
  });
  return (
    <>
      <div className="row tab-head">
        <span>{t('changes.files', { n: files.length })}</span>
        <ChangeCount insertions={sum(files, 'insertions')} deletions={sum(files, 'deletions')} />
        <span className="dim num">{t('changes.viewedOf', { done, n: files.length })}</span>
        <span className="grow" />
        <Segments
          label={t('changes.view')}
          options={VIEWS.map((value) => ({ value, text: t(`changes.${value}`) }))}
          value={view}
          onChange={show}
        />
        <DownloadButton text={patch} name={`${taskId}.patch`} />
      </div>
      <div className="changed-files" ref={list}>
        {files.map((file, index) => (
          <ChangedFile
            key={file.path}
            file={file}
            view={view}
            isAt={index === at}
            isViewed={isViewed(viewed, file)}
            onToggle={() => toggle(file)}
          />
        ))}
      </div>
    </>
  );
}

/** What was looked at is folded. */
function ChangedFile(props: {
  file: FileChange;
  view: ViewType;
  isAt: boolean;
  isViewed: boolean;
  onToggle: () => void;
}): ReactNode {
  const { file, view, isAt, isViewed, onToggle } = props;
  const t = useText();
  const [isOpened, open] = useState(false);
  const isOpen = !isViewed || isOpened;
  return (
    <div className={isAt ? 'boxed at' : 'boxed'}>
      <div className="row changed-head">
        <Fold isOpen={isOpen} onToggle={() => open(!isOpened)}>
          <span className="mono trunc" title={file.path}>
            {file.from !== null && <span className="dim">{file.from} → </span>}
            {file.path}
          </span>
        </Fold>
        {file.type !== 'modify' && <span className="tag">{t(`diff.${file.type}`)}</span>}
        <ChangeCount insertions={file.insertions} deletions={file.deletions} />
        <span className="grow" />
        <label className="row dim">
          <input type="checkbox" className="check" checked={isViewed} onChange={onToggle} />
          {t('changes.viewed')}
        </label>
      </div>
      {isOpen && <FileDiff file={file} view={view} head={false} />}
    </div>
  );
}

function sum(files: readonly FileChange[], what: 'insertions' | 'deletions'): number {
  return files.reduce((total, file) => total + file[what], 0);
}
