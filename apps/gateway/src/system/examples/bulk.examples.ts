/** Examples: one thing done to many tasks. */
import type { BulkActionView, BulkItem, CreateBulkActionInput } from '@bullpen/contracts';
import { at, BULK_ID, onlyPage, TASK_ID, type OperationExample } from './example.js';

const view: BulkActionView = {
  id: BULK_ID,
  action: { verb: 'tag', add: ['looked-at'], remove: [] },
  filter: { state: ['failed'], tag: 'example', archived: 'no' },
  state: 'running',
  ...{ total: 1_240, done: 310, refused: 0, left: 930 },
  ...{ createdBy: 'local', createdAt: at('09:30:00'), endedAt: null },
};
const item: BulkItem = { taskId: TASK_ID, title: 'Say hello', state: 'done', reason: null, newTaskId: null };
const body = {
  action: { verb: 'tag', add: ['looked-at'] },
  filter: { state: ['failed'], tag: 'example' },
} satisfies CreateBulkActionInput;
const one = { id: BULK_ID };

export const bulkExamples = {
  previewBulkAction: {
    body,
    answer: {
      ...{ matched: 1_240, considered: 1_240, able: 1_240, reasons: [], refused: [], costSoFarUsd: '12.40' },
      byCause: [{ cause: 'error', matched: 1_240, able: 1_240 }],
    },
  },
  createBulkAction: { body, answer: { ...view, done: 0, left: 1_240 } },
  listBulkActions: { answer: onlyPage(view) },
  getBulkAction: { parameters: one, answer: view },
  listBulkItems: { parameters: one, answer: onlyPage(item) },
  stopBulkAction: { parameters: one, answer: { ...view, state: 'stopped', endedAt: at('09:30:20') } },
} satisfies Record<string, OperationExample>;
