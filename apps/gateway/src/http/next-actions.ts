/** What can be done about a refusal, as the API tells it: a sentence, and the request that does it. */
import {
  actionText,
  tellAction,
  type ActionRequest,
  type NextAction,
  type NextActionTable,
  type ToldAction,
} from '@bullpen/contracts';

/** The actions of a problem document. */
export function toldActions(actions: readonly NextAction[]): ToldAction[] {
  return actions.map((action) => {
    const request = tellAction(REQUESTS, action);
    return { ...action, text: actionText(action), ...(request && { request }) };
  });
}

const get = (path: string): ActionRequest => ({ method: 'GET', path });
const post = (path: string, body?: ActionRequest['body']): ActionRequest => ({
  method: 'POST',
  path,
  ...(body && { body }),
});
const patch = (path: string, body?: ActionRequest['body']): ActionRequest => ({
  ...post(path, body),
  method: 'PATCH',
});

const ofTask = ({ taskId = '{id}' }: { taskId?: string | undefined }): string => `/v1/tasks/${taskId}`;
const ofWebhook = ({ webhookId = '{id}' }: { webhookId?: string | undefined }): string =>
  `/v1/webhooks/${webhookId}`;

/** Null: no request does it. */
const REQUESTS: NextActionTable<ActionRequest | null> = {
  'agent.list': () => get('/v1/agents'),
  'task.list': () => get('/v1/tasks'),
  'task.create': () => post('/v1/tasks'),
  'task.show': (task) => get(ofTask(task)),
  'task.watch': (task) => get(`${ofTask(task)}/stream`),
  'task.history': (task) => get(`${ofTask(task)}/history/api`),
  'task.retry': ({ mode, ...task }) => post(`${ofTask(task)}/retry`, { mode }),
  'task.raise_limit': (task) => post(`${ofTask(task)}/retry`),
  'task.drop_cost_limit': () => post('/v1/tasks', { limits: { costUsd: null } }),
  'task.interrupt': (task) => post(`${ofTask(task)}/interrupt`),
  'task.pause': (task) => post(`${ofTask(task)}/pause`, { now: true }),
  'task.resume': (task) => post(`${ofTask(task)}/resume`),
  'task.cancel': (task) => post(`${ofTask(task)}/cancel`),
  'transition.list': (task) => get(`${ofTask(task)}/transitions`),
  'transition.fire': ({ trigger, ...task }) => post(`${ofTask(task)}/transitions`, { trigger }),
  'message.list': (task) => get(`${ofTask(task)}/messages`),
  'message.send': (task) => post(`${ofTask(task)}/messages`),
  'interaction.list': () => get('/v1/interactions'),
  'interaction.show': ({ interactionId }) => get(`/v1/interactions/${interactionId}`),
  'checkpoint.list': (task) => get(`${ofTask(task)}/checkpoints`),
  'process.list': (task) => get(`${ofTask(task)}/processes`),
  'process.kill': ({ processId }) => post(`/v1/processes/${processId}/kill`),
  'process.show': ({ processId }) => get(`/v1/processes/${processId}`),
  'webhook.list': () => get('/v1/webhooks'),
  'webhook.enable': (webhook) => patch(ofWebhook(webhook), { enabled: true }),
  'webhook.rotate_secret': (webhook) => post(`${ofWebhook(webhook)}/rotate-secret`),
  'delivery.list': (webhook) => get(`${ofWebhook(webhook)}/deliveries`),
  'provider.list': () => get('/v1/providers'),
  'policy.list': () => get('/v1/policies'),
  'tenant.list': () => get('/v1/tenants'),
  'tenant.update': ({ tenantId }) => patch(`/v1/tenants/${tenantId}`),
  'queue.list': () => get('/v1/queues'),
  'worker.list': () => get('/v1/workers'),
  'bulk_action.list': () => get('/v1/bulk-actions'),
  'share.list': (task) => get(`${ofTask(task)}/shares`),
  'view.list': () => get('/v1/views'),
  'api_key.list': () => get('/v1/api-keys'),
  'key.use': () => null,
  'key.find': () => null,
  'key.use_scope': () => null,
  'login_link.create': () => post('/v1/login-links'),
  'system.check': () => get('/readyz'),
  'log.search': () => null,
  'reference.read': () => get('/docs'),
  'request.repeat': () => null,
  'request.new_key': () => null,
  'stream.close': () => null,
  'setting.change': () => null,
  'workspace.choose': () => null,
  'output.read_there': () => null,
};
