/** How the tasks of a tree are drawn: done, failed, asking, running, the rest. Pure. */
import type { TreeSummary } from '@bullpen/contracts';

type Look = 'c' | 'f' | 'n' | 'r' | 'q';

const MOST = 9;

/** At most nine pieces; whatever exists at all has one. */
export function piecesOf(tree: Pick<TreeSummary, 'tasks' | 'ended' | 'failed' | 'asks' | 'running'>): Look[] {
  const { tasks, ended, failed, asks, running } = tree;
  const counts: [Look, number][] = [
    ['c', ended - failed],
    ['f', failed],
    ['n', Math.min(asks, tasks - ended)],
    ['r', running],
  ];
  const known = counts.reduce((sum, [, n]) => sum + Math.max(0, n), 0);
  counts.push(['q', Math.max(0, tasks - known)]);
  const scale = Math.min(1, MOST / tasks);
  return counts
    .flatMap(([look, n]) => Array<Look>(n <= 0 ? 0 : Math.max(1, Math.round(n * scale))).fill(look))
    .slice(0, MOST + counts.length);
}
