/** Examples: signing in, and the installation itself. */
import type {
  CreateTenantInput,
  CreateTenantKeyInput,
  ModeSuggestion,
  ProviderKeyView,
  Readiness,
  SuggestMode,
  SystemInfo,
  TenantView,
} from '@bullpen/contracts';
import { builtInAgents, builtInModes } from '@bullpen/extensions';
import { at, TASK_ID, WORKER_ID, type OperationExample } from './example.js';

/** As the installation shows it, with the model that agents without one get. */
const explorer = builtInAgents()
  .filter(({ name }) => name === 'explorer')
  .map(({ profiles: _chain, helper: _helper, keepBodies: _bodies, workspaceAgents: _ofTasks, ...agent }) => ({
    ...agent,
    model: 'claude-sonnet-5-5',
    source: { kind: 'built-in' as const, name: 'agents/explorer.md' },
  }));

const tenant: TenantView = {
  id: 'team-a',
  name: 'Team A',
  weight: 2,
  maxRunning: 20,
  running: 0,
  queued: 0,
  createdAt: at('09:00:00'),
};

const provider: ProviderKeyView = {
  id: '9f86d081884c7d65',
  endpoint: 'https://api.anthropic.com',
  state: 'open',
  errorClass: null,
  message: null,
  since: null,
  pausedUntil: null,
  pausedModels: [],
  waitingTasks: 0,
  workers: 2,
};

const readiness: Readiness = {
  status: 'ready',
  checks: [{ name: 'postgres', ok: true, detail: 'answers' }],
};

const system: SystemInfo = {
  version: '0.1.0',
  queueBackend: 'postgres',
  model: { baseUrl: 'https://api.anthropic.com', simulated: false },
  workspacePaths: 'any',
  workers: [
    {
      id: WORKER_ID,
      pid: 4_711,
      host: 'host-1',
      slots: 8,
      running: 1,
      sandbox: 'bubblewrap',
      seenAt: at('09:30:00'),
    },
  ],
  tasks: { queued: 2, running: 1, completed: 40 },
  repairs: {},
};

export const installationExamples = {
  createLoginLink: {
    answer: { url: 'http://127.0.0.1:7450/login#lX2n…', expiresAt: at('09:35:00') },
  },
  createSession: { body: { code: 'the part of the link after #' }, answer: { expiresAt: at('21:30:00') } },
  listAgents: { answer: { data: explorer } },
  listModes: {
    answer: {
      data: builtInModes()
        .filter(({ name }) => name === 'debug')
        .map((mode) => ({ ...mode, source: { kind: 'built-in', name: 'modes/debug.md' } })),
    },
  },
  suggestMode: {
    body: { text: 'where is the login code?' } satisfies SuggestMode,
    answer: {
      mode: 'context_navigation',
      confidence: 1,
      isSure: true,
      reason: 'it says “where is”',
      others: [],
    } satisfies ModeSuggestion,
  },
  findIds: {
    parameters: { kind: 'task', piece: TASK_ID.slice(-8) },
    answer: { data: [{ id: TASK_ID, title: 'Explain the build' }], hasMore: false },
  },
  listTenants: { answer: { data: [tenant] } },
  createTenant: {
    body: { id: 'team-a', name: 'Team A', weight: 2, maxRunning: 20 } satisfies CreateTenantInput,
    answer: tenant,
  },
  updateTenant: { parameters: { id: 'team-a' }, body: { weight: 3 }, answer: { ...tenant, weight: 3 } },
  createTenantKey: {
    parameters: { id: 'team-a' },
    body: { name: 'dashboard', scopes: ['read'] } satisfies CreateTenantKeyInput,
    answer: { tenantId: 'team-a', name: 'dashboard', scopes: ['read'], key: 'bp_…' },
  },
  listProviders: { answer: { data: [provider] } },
  resumeProvider: { parameters: { id: provider.id }, body: {}, answer: provider },
  getHealth: { answer: { status: 'ok' } },
  getReadiness: { answer: readiness },
  getSystem: { answer: system },
} satisfies Record<string, OperationExample>;
