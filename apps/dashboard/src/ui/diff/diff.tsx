/** A patch for people: file by file, unified unless one wants both sides, with what changed within a line marked. */
import { memo, useMemo, useState, type ReactNode } from 'react';
import {
  Decoration,
  Diff,
  Hunk,
  markEdits,
  tokenize,
  type RenderGutter,
  type ViewType,
} from 'react-diff-view';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { ChangeCount } from '../change-count.js';
import { Output } from '../output/output.js';
import { filesOf, type FileChange } from './patch.js';
import './diff.css';

/** A file with more changed lines is drawn when one asks for it. */
const MANY_LINES = 2_000;
/** Comparing letters of longer lines takes long and tells nothing. */
const LONGEST_LINE = 500;

/** Any patch; what cannot be read as one is shown as it is. */
export const PatchView = memo(function PatchView(props: {
  patch: string;
  view?: ViewType;
  heads?: boolean;
}): ReactNode {
  const { patch, view = 'unified', heads = true } = props;
  const files = useMemo(() => filesOf(patch), [patch]);
  if (files === null) return <Output text={patch} />;
  return files.map((file, index) => <FileDiff key={index} file={file} view={view} head={heads} />);
});

/** What changed in one file. */
export const FileDiff = memo(function FileDiff(props: {
  file: FileChange;
  view?: ViewType;
  head?: boolean;
}): ReactNode {
  const { file, view = 'unified', head = true } = props;
  const t = useText();
  const [wanted, want] = useState(false);
  return (
    <div className="fdiff" role="group" aria-label={t('diff.of', { path: file.path })}>
      {head && (
        <header>
          <span className="trunc grow" title={file.path}>
            {file.from !== null && <span className="dim">{file.from} → </span>}
            {file.path}
          </span>
          {file.type !== 'modify' && <span className="tag">{t(`diff.${file.type}`)}</span>}
          <ChangeCount insertions={file.insertions} deletions={file.deletions} />
        </header>
      )}
      {file.lines > MANY_LINES && !wanted ? (
        <p className="fdiff-more">
          {t('diff.long', { n: file.lines })} <Button onClick={() => want(true)}>{t('diff.showAll')}</Button>
        </p>
      ) : (
        <FileBody file={file} view={view} />
      )}
    </div>
  );
});

function FileBody({ file, view }: { file: FileChange; view: ViewType }): ReactNode {
  const t = useText();
  const tokens = useMemo(() => tokensOf(file), [file]);
  if (file.hunks.length === 0)
    return <p className="fdiff-more">{file.type === 'rename' ? t('diff.onlyMoved') : t('diff.noText')}</p>;
  return (
    <Diff
      className={`rdv rdv-${view}`}
      viewType={view}
      diffType={file.type}
      hunks={file.hunks}
      tokens={tokens}
      renderGutter={view === 'unified' ? oneNumber : undefined}
    >
      {(hunks) =>
        hunks.flatMap((hunk) => [
          <Decoration key={`head ${hunk.content}`} className="rdv-head">
            <span>{hunk.content}</span>
          </Decoration>,
          <Hunk key={hunk.content} hunk={hunk} />,
        ])
      }
    </Diff>
  );
}

/** Unified, a line has one number: of the new file, or of the old one where it is gone. */
const oneNumber: RenderGutter = ({ change, side }) => {
  if (side === 'old') return null;
  return change.type === 'normal' ? change.newLineNumber : change.lineNumber;
};

/** The marks within lines; null when there are too many or too long lines for that. */
function tokensOf({ hunks, lines }: FileChange) {
  const isLong = hunks.some(({ changes }) => changes.some(({ content }) => content.length > LONGEST_LINE));
  return lines > MANY_LINES || isLong
    ? null
    : tokenize(hunks, { enhancers: [markEdits(hunks, { type: 'block' })] });
}
