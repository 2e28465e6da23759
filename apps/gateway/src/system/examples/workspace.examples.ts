/** Examples: workspaces. */
import type { WorkspaceView } from '@bullpen/contracts';
import { at, onlyPage, TASK_ID, WORKER_ID, type OperationExample } from './example.js';

const workspace: WorkspaceView = {
  ...{ id: TASK_ID, rootId: TASK_ID, title: 'Fix the cart', kind: 'git', inPlace: false, state: 'kept' },
  ...{ keptUntil: null, canRebuild: true, unsaved: false, host: 'build-1', workerId: WORKER_ID },
  ...{ diskBytes: 48_300_032, measuredAt: at('09:31:00'), storedBytes: 1_204, lastUsedAt: at('09:30:00') },
};

export const workspaceExamples: Readonly<Record<string, OperationExample>> = {
  listWorkspaces: {
    parameters: { limit: 50 },
    answer: {
      ...onlyPage(workspace),
      totals: { workspaces: 1, onDisk: 1, diskBytes: 48_300_032, storedBytes: 1_204 },
    },
  },
};
