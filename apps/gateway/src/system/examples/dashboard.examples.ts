/** Examples: what people keep and who they are. */
import type {
  ShareView,
  ApiKeyView,
  CreateSavedViewInput,
  CreateTenantKeyInput,
  SavedView,
} from '@bullpen/contracts';
import { builtInProfile } from '@bullpen/core';
import { usage } from './task.examples.js';
import { at, KEY_ID, SHARE_ID, TASK_ID, VIEW_ID, type OperationExample } from './example.js';

const view: SavedView = {
  ...{ id: VIEW_ID, name: 'Failed today', screen: 'tasks', shared: false, mine: true, createdBy: 'local' },
  query: { state: 'failed' },
  updatedAt: at('09:30:00'),
};

const key: ApiKeyView = {
  ...{ id: KEY_ID, name: 'deploy', scopes: ['read', 'write'] },
  ...{ createdAt: at('09:00:00'), expiresAt: null, lastUsedAt: null, revokedAt: null },
};

const share: ShareView = {
  ...{ id: SHARE_ID, taskId: TASK_ID, createdBy: 'local', createdAt: at('09:30:00') },
  ...{ expiresAt: '2026-12-05T09:30:00.000Z', revokedAt: null, opened: 0 },
};

export const dashboardExamples = {
  exportTask: { parameters: { id: TASK_ID, format: 'markdown' }, answer: '# Say hello\n' },
  previewShare: {
    parameters: { id: TASK_ID },
    answer: {
      ...{ tasks: 1, events: 9, masked: 1 },
      places: [{ taskId: TASK_ID, seq: 6, field: '/preview', kind: 'home', around: 'in /home/…/app' }],
    },
  },
  createShare: {
    parameters: { id: TASK_ID },
    body: { days: 7 },
    answer: { ...share, url: 'http://127.0.0.1:7450/shared#share_…' },
  },
  listShares: { parameters: { id: TASK_ID }, answer: { data: [share] } },
  revokeShare: { parameters: { id: SHARE_ID }, answer: { id: SHARE_ID } },
  getShared: {
    answer: {
      ...{ rootId: TASK_ID, expiresAt: share.expiresAt, now: at('09:31:00') },
      tasks: [
        {
          ...{
            id: TASK_ID,
            parentId: null,
            title: 'Say hello',
            agent: 'explorer',
            model: 'claude-sonnet-5-5',
          },
          ...{ state: 'completed', prompt: 'Say hello in one sentence.', usage, eventSeq: 9 },
          ...{ createdAt: at('09:30:00'), startedAt: at('09:30:01'), endedAt: at('09:30:05') },
        },
      ],
    },
  },
  listSharedEvents: {
    parameters: { taskId: TASK_ID },
    answer: { data: [], nextAfter: null, hasMore: false },
  },
  getIdentity: {
    answer: {
      ...{ tenantId: 'default', tenantName: 'Default', keyId: KEY_ID, keyName: 'local' },
      ...{ scopes: ['read', 'write', 'admin'], now: at('09:30:00') },
    },
  },
  endSession: { answer: { id: 'current' } },
  listApiKeys: { answer: { data: [key] } },
  createApiKey: {
    body: { name: 'deploy' } satisfies CreateTenantKeyInput,
    answer: { tenantId: 'default', name: 'deploy', scopes: ['read', 'write'], key: 'bp_…' },
  },
  revokeApiKey: { parameters: { id: KEY_ID }, answer: { id: KEY_ID } },
  listModels: {
    answer: {
      data: [
        {
          ...{ profile: builtInProfile('claude-sonnet-5-5'), isBuiltIn: true },
          ...{ id: 'claude-sonnet-5-5', isDefault: true, contextTokens: 1_000_000 },
          price: { input: '2.00', output: '10.00', cacheRead: '0.10', cacheWrite: '2.50' },
        },
      ],
    },
  },
  searchTasks: {
    parameters: { q: 'hello' },
    answer: {
      data: [
        {
          ...{ taskId: TASK_ID, rootId: TASK_ID, title: 'Say hello', agent: 'explorer', state: 'completed' },
          createdAt: at('09:30:00'),
          hits: [
            {
              ...{ field: 'title', seq: 1, at: at('09:30:00'), text: 'Say hello' },
              ...{ cutBefore: false, cutAfter: false, marks: [{ start: 4, end: 9 }] },
            },
          ],
          hitCount: 1,
        },
      ],
      nextCursor: null,
      hasMore: false,
    },
  },
  listViews: { answer: { data: [view] } },
  createView: {
    body: { name: 'Failed today', query: { state: 'failed' } } satisfies CreateSavedViewInput,
    answer: view,
  },
  updateView: { parameters: { id: VIEW_ID }, body: { shared: true }, answer: { ...view, shared: true } },
  deleteView: { parameters: { id: VIEW_ID }, answer: { id: VIEW_ID } },
} satisfies Record<string, OperationExample>;
