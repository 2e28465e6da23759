/** Workspaces, for people. Pure. */
import type { WorkspaceTotals, WorkspaceView } from '@bullpen/contracts';
import { age, bytes, plural, soon } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';
import type { TableOptions } from './webhook-tables.js';

export function workspaceTable(
  workspaces: readonly WorkspaceView[],
  { width, now, colors }: TableOptions,
): string {
  return renderTable(
    workspaces,
    [
      { title: 'WORKSPACE', value: ({ id }) => oneLine(id), ids: true },
      { title: 'USED', value: ({ lastUsedAt }) => age(lastUsedAt, now), align: 'right' },
      { title: 'KIND', value: ({ kind, inPlace }) => (inPlace ? 'in place' : kind) },
      { title: 'HOST', value: ({ host }) => oneLine(host ?? ''), shrinkTo: 8 },
      { title: 'DISK', value: ({ diskBytes }) => sizeText(diskBytes), align: 'right' },
      { title: 'STORED', value: ({ storedBytes }) => sizeText(storedBytes), align: 'right' },
      {
        title: 'STATE',
        value: (workspace) => stateText(workspace, now),
        paint: (text, one) => (isAtRisk(one) ? colors.yellow(text) : text),
        shrinkTo: 16,
      },
      { title: 'TASK', value: ({ title }) => oneLine(title), shrinkTo: 10 },
    ],
    width,
    colors,
  );
}

export function workspaceTotals({ storedBytes, ...located }: WorkspaceTotals): string {
  return `${onDiskText(located)}; ${bytes(storedBytes)} stored`;
}

/** Also what `doctor` says. */
export function onDiskText({ workspaces, onDisk, diskBytes }: Omit<WorkspaceTotals, 'storedBytes'>): string {
  return `${plural(workspaces, 'workspace')}, ${onDisk} on disk (${bytes(diskBytes)})`;
}

function sizeText(size: number | null): string {
  return size === null ? '-' : bytes(size);
}

function stateText({ state, keptUntil, canRebuild, inPlace }: WorkspaceView, now: number): string {
  switch (state) {
    case 'open':
      return 'open';
    case 'kept':
      return keptUntil === null ? 'kept' : `kept, goes ${goes(Date.parse(keptUntil) - now)}`;
    case 'away':
      return inPlace ? 'host is away' : `host is away, ${canRebuild ? 'can be rebuilt' : 'only there'}`;
    case 'removed':
      return canRebuild ? 'removed, can be rebuilt' : 'lost';
  }
}

/** Workers look once an hour. */
function goes(ms: number): string {
  return ms <= 0 ? 'within the hour' : soon(ms);
}

/** Nobody has its files but a machine that is not there. */
function isAtRisk({ state, canRebuild, inPlace }: WorkspaceView): boolean {
  return (state === 'away' || state === 'removed') && !canRebuild && !inPlace;
}
