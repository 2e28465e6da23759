/** Examples: the stored states of workspaces. */
import type { CheckpointView, RestoreView } from '@bullpen/contracts';
import {
  at,
  CHECKPOINT_ID,
  onlyPage,
  OTHER_CHECKPOINT_ID,
  RESTORE_ID,
  TASK_ID,
  type OperationExample,
} from './example.js';

const checkpoint: CheckpointView = {
  id: CHECKPOINT_ID,
  taskId: TASK_ID,
  rootId: TASK_ID,
  workspaceId: TASK_ID,
  parentId: null,
  reason: 'turn',
  note: null,
  turn: 3,
  messageSeq: 6,
  eventSeq: 21,
  commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  files: 214,
  diffstat: {
    files: 1,
    insertions: 3,
    deletions: 1,
    list: [{ path: 'src/cart.ts', status: 'changed', insertions: 3, deletions: 1 }],
  },
  leftOut: [{ reason: 'ignored', count: 1, paths: ['node_modules'] }],
  bytes: 1_204,
  createdAt: at('09:30:20'),
};

const restore: RestoreView = {
  id: RESTORE_ID,
  taskId: TASK_ID,
  checkpointId: CHECKPOINT_ID,
  what: 'files',
  dryRun: true,
  state: 'done',
  files: {
    changes: {
      count: 2,
      list: [
        { path: 'src/cart.ts', action: 'write' },
        { path: 'src/tax.ts', action: 'remove' },
      ],
    },
    kept: { count: 0, list: [] },
    conflicts: { count: 0, list: [] },
  },
  history: null,
  before: null,
  after: null,
  failure: null,
  createdAt: at('09:41:07'),
  endedAt: at('09:41:08'),
};

export const checkpointExamples: Readonly<Record<string, OperationExample>> = {
  listCheckpoints: { parameters: { id: TASK_ID, limit: 50 }, answer: onlyPage(checkpoint) },
  patchTask: {
    parameters: { id: TASK_ID },
    answer: '--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -1 +1 @@\n-const tax = 0;\n+const tax = 0.2;\n',
  },
  changesOfTask: { parameters: { id: TASK_ID }, answer: 'PACK…' },
  diffTask: {
    parameters: { id: TASK_ID },
    answer: {
      from: CHECKPOINT_ID,
      to: CHECKPOINT_ID,
      diffstat: {
        files: 1,
        insertions: 12,
        deletions: 3,
        list: [{ path: 'src/cart.ts', status: 'changed', insertions: 12, deletions: 3 }],
      },
    },
  },
  restoreTask: {
    parameters: { id: TASK_ID },
    body: { checkpointId: CHECKPOINT_ID, what: 'files' },
    answer: restore,
  },
  getRestore: { parameters: { id: RESTORE_ID }, answer: restore },
  compareCheckpoints: {
    parameters: { id: CHECKPOINT_ID, to: OTHER_CHECKPOINT_ID },
    answer: {
      from: CHECKPOINT_ID,
      to: OTHER_CHECKPOINT_ID,
      diffstat: {
        files: 1,
        insertions: 0,
        deletions: 12,
        list: [{ path: 'src/old-cart.ts', status: 'deleted', insertions: 0, deletions: 12 }],
      },
    },
  },
  patchCheckpoints: {
    parameters: { id: CHECKPOINT_ID, to: OTHER_CHECKPOINT_ID },
    answer: '--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -1 +1 @@\n-const tax = 0.2;\n+const tax = 0.19;\n',
  },
  archiveCheckpoint: { parameters: { id: CHECKPOINT_ID }, answer: '…' },
  archiveTask: { parameters: { id: TASK_ID }, answer: '…' },
  getCheckpoint: { parameters: { id: CHECKPOINT_ID }, answer: checkpoint },
};
