/** The subtasks of a tree as a bar of a few pieces, with its words. */
import type { TreeSummary } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { piecesOf } from './tree-pieces.js';

export function TreeBar({ tree }: { tree: TreeSummary | undefined }): ReactNode {
  const t = useText();
  if (tree === undefined || tree.tasks < 2) return <span className="dim">–</span>;
  const text = t('tasks.treeOf', { n: tree.ended, m: tree.tasks });
  return (
    <span className="kids" role="img" aria-label={text} title={text}>
      {piecesOf(tree).map((look, index) => (
        <i key={index} className={look} />
      ))}
    </span>
  );
}
