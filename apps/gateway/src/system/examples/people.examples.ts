/** Examples: what waits for people, what may run without them, and who is told. */
import {
  NO_RULES,
  type AnswerInteraction,
  type BulkAnswer,
  type CreateWebhookInput,
  type DeliveryDetails,
  type InteractionView,
  type PolicyTestResult,
  type PolicyView,
  type PutPolicyInput,
  type WebhookView,
} from '@bullpen/contracts';
import {
  at,
  CALL_ID,
  DELIVERY_ID,
  INTERACTION_ID,
  onlyPage,
  TASK_ID,
  WEBHOOK_ID,
  type OperationExample,
} from './example.js';

const denial = { decision: 'deny', remarks: 'Use npm, not yarn.' };

const interaction: InteractionView = {
  id: INTERACTION_ID,
  kind: 'approval',
  state: 'pending',
  title: 'Run yarn test',
  taskId: TASK_ID,
  rootId: TASK_ID,
  taskTitle: 'Run the tests',
  agent: 'general',
  callId: CALL_ID,
  payload: {
    tool: 'run_command',
    arguments: { command: 'yarn test' },
    reason: 'Commands are asked.',
    rule: 'ask',
  },
  hash: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
  answer: null,
  answeredBy: null,
  answeredAt: null,
  expiresAt: null,
  createdAt: at('09:30:03'),
};
const answered: InteractionView = {
  ...interaction,
  state: 'answered',
  answer: denial,
  answeredBy: 'local',
  answeredAt: at('09:31:00'),
};

/** Nothing is loosened by it: commands are refused to all tasks of one folder, whatever they are given. */
const layer = {
  approvals: { alwaysAllowExecute: false },
  locked: ['alwaysAllowExecute' as const],
  rules: NO_RULES,
};
const project = { scope: 'project', key: '/srv/example' };
const policy: PolicyView = {
  scope: 'project',
  key: '/srv/example',
  layer,
  revision: 1,
  updatedAt: at('09:30:00'),
  updatedBy: 'local',
};

const verdict: PolicyTestResult = {
  data: [
    {
      command: 'git status',
      decision: 'approve',
      reason: 'allowed',
      rule: 'settings',
      message: 'Allowed.',
      span: null,
      parts: [],
    },
  ],
};

/** No name below `.example` leads anywhere: whoever sends it unchanged is told so, and nobody else is told anything. */
const URL = 'https://hooks.company.example/bullpen';
const webhook: WebhookView = {
  id: WEBHOOK_ID,
  url: URL,
  description: 'The channel of the team',
  events: ['task.waiting', 'task.failed'],
  subtasks: false,
  createdAt: at('09:00:00'),
  failures: 0,
  failingSince: null,
  disabledAt: null,
  disabledReason: null,
};
const SECRET = 'whsec_…';

const { payload, log, ...delivery }: DeliveryDetails = {
  id: DELIVERY_ID,
  webhookId: WEBHOOK_ID,
  type: 'ping',
  taskId: null,
  state: 'delivered',
  attempts: 1,
  nextAt: null,
  lastStatus: 204,
  lastError: null,
  createdAt: at('09:30:00'),
  endedAt: at('09:30:01'),
  payload: `{"type":"ping","timestamp":"${at('09:30:00')}","data":{}}`,
  log: [{ number: 1, at: at('09:30:00'), status: 204, durationMs: 85, error: null, response: '' }],
};
const queued: DeliveryDetails = {
  ...delivery,
  state: 'pending',
  attempts: 0,
  nextAt: at('09:30:00'),
  lastStatus: null,
  endedAt: null,
  payload,
  log: [],
};

export const peopleExamples = {
  listInteractions: { answer: onlyPage(interaction) },
  getInteraction: { parameters: { id: INTERACTION_ID }, answer: interaction },
  answerInteraction: {
    parameters: { id: INTERACTION_ID },
    body: { answer: denial } satisfies AnswerInteraction,
    answer: answered,
  },
  answerInteractions: {
    body: { ids: [INTERACTION_ID], answer: denial } satisfies BulkAnswer,
    answer: { answered: [INTERACTION_ID], failed: [] },
  },
  listPolicies: { answer: { data: [policy] } },
  testPolicy: { body: { commands: ['git status'] }, answer: verdict },
  getPolicy: { parameters: project, answer: policy },
  putPolicy: {
    parameters: project,
    body: {
      layer: { approvals: layer.approvals, locked: layer.locked },
      revision: 0,
    } satisfies PutPolicyInput,
    answer: policy,
  },
  deletePolicy: { parameters: project, answer: policy },
  createWebhook: {
    body: {
      url: URL,
      description: webhook.description,
      events: webhook.events,
    } satisfies CreateWebhookInput,
    answer: { ...webhook, secret: SECRET },
  },
  listWebhooks: { answer: { data: [webhook] } },
  getWebhook: { parameters: { id: WEBHOOK_ID }, answer: webhook },
  updateWebhook: {
    parameters: { id: WEBHOOK_ID },
    body: { enabled: false },
    answer: { ...webhook, disabledAt: at('09:40:00'), disabledReason: 'Somebody disabled it.' },
  },
  deleteWebhook: { parameters: { id: WEBHOOK_ID }, answer: { id: WEBHOOK_ID } },
  rotateWebhookSecret: {
    parameters: { id: WEBHOOK_ID },
    answer: { secret: SECRET, previousUntil: '2026-11-29T09:30:00.000Z' },
  },
  testWebhook: { parameters: { id: WEBHOOK_ID }, answer: queued },
  listDeliveries: { parameters: { id: WEBHOOK_ID }, answer: onlyPage(delivery) },
  getDelivery: { parameters: { id: DELIVERY_ID }, answer: { ...delivery, payload, log } },
  replayDelivery: { parameters: { id: DELIVERY_ID }, answer: queued },
} satisfies Record<string, OperationExample>;
