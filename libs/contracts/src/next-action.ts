/**
 * What somebody can do about a refusal, as data. The API tells it with the request to send, the command line with the command to type: each
 * from one table of its own, which does not compile until every action is in it.
 */
import { z } from 'zod';
import { Json } from './json.js';

/** The limits that another attempt can be given more of. */
export const RaisableLimit = z.enum(['turns', 'activeMs', 'tokens', 'costUsd']).meta({ id: 'RaisableLimit' });
export type RaisableLimit = z.infer<typeof RaisableLimit>;

const text = z.string();
/** An id that whoever refuses may not know: then the one who reads the advice does. */
const maybe = text.optional();

const action = <const Name extends string, Parameters extends z.ZodRawShape>(
  name: Name,
  parameters: Parameters,
) => z.object({ action: z.literal(name), ...parameters });

/** One thing to do, with what is known of its parameters. Actions on a resource are named after it. */
export const NextAction = z
  .discriminatedUnion('action', [
    action('agent.list', {}),
    action('task.list', {}),
    action('task.create', {}),
    action('task.show', { taskId: text }),
    action('task.watch', { taskId: text }),
    action('task.history', { taskId: maybe }),
    action('task.retry', { taskId: text, mode: z.enum(['resume', 'new']) }),
    action('task.raise_limit', { taskId: text, limit: RaisableLimit }),
    action('task.drop_cost_limit', {}),
    action('task.interrupt', { taskId: text }),
    action('task.pause', { taskId: maybe }),
    action('task.resume', { taskId: maybe }),
    action('task.cancel', { taskId: maybe }),
    action('transition.list', { taskId: text }),
    action('transition.fire', { taskId: text, trigger: text }),
    action('message.list', { taskId: maybe }),
    action('message.send', { taskId: text }),
    action('interaction.list', {}),
    action('interaction.show', { interactionId: text }),
    action('checkpoint.list', { taskId: maybe }),
    action('process.list', { taskId: maybe }),
    action('process.kill', { processId: text }),
    action('process.show', { processId: text }),
    action('webhook.list', {}),
    action('webhook.enable', { webhookId: text }),
    action('webhook.rotate_secret', { webhookId: maybe }),
    action('delivery.list', { webhookId: maybe }),
    action('provider.list', {}),
    action('policy.list', {}),
    action('tenant.list', {}),
    action('tenant.update', { tenantId: text }),
    action('queue.list', {}),
    action('worker.list', {}),
    action('bulk_action.list', {}),
    action('share.list', { taskId: maybe }),
    action('view.list', {}),
    action('api_key.list', {}),
    action('key.use', {}),
    action('key.find', {}),
    action('key.use_scope', { scope: text }),
    action('login_link.create', {}),
    action('system.check', {}),
    action('log.search', { traceId: text }),
    action('reference.read', {}),
    action('request.repeat', {}),
    action('request.new_key', {}),
    action('stream.close', {}),
    action('setting.change', { setting: text }),
    action('workspace.choose', {}),
    action('output.read_there', { host: text }),
  ])
  .meta({ id: 'NextAction' });
export type NextAction = z.infer<typeof NextAction>;
type NextActionName = NextAction['action'];

/** One action of this name. */
type NextActionOf<Name extends NextActionName> = Extract<NextAction, { action: Name }>;
/** How something tells each action. */
export type NextActionTable<Told> = {
  readonly [Name in NextActionName]: (action: NextActionOf<Name>) => Told;
};

/** The request that takes an action. What is not known stays in braces, as in the API reference. */
export const ActionRequest = z
  .object({ method: z.string(), path: z.string(), body: z.record(z.string(), Json).optional() })
  .meta({ id: 'ActionRequest' });
export type ActionRequest = z.infer<typeof ActionRequest>;

/** An action as the API tells it: for people a sentence, for programs the request, where one does it. */
export const ToldAction = z
  .intersection(z.object({ text: z.string(), request: ActionRequest.optional() }), NextAction)
  .meta({ id: 'ToldAction' });
export type ToldAction = z.infer<typeof ToldAction>;

/** What a table has for an action. */
export function tellAction<Told>(table: NextActionTable<Told>, action: NextAction): Told {
  // The key chooses the entry that takes this very action; the compiler cannot follow that through a union.
  return (table[action.action] as (action: NextAction) => Told)(action);
}

/** The action as a sentence that is true wherever it is read. */
export function actionText(action: NextAction): string {
  return tellAction(SENTENCES, action);
}

const SENTENCES: NextActionTable<string> = {
  'agent.list': () => 'List the agents, with their tools and input schemas.',
  'task.list': () => 'Check the id: list the tasks that your key can see.',
  'task.create': () => 'Create a new task to go on.',
  'task.show': () => 'Look at the state of the task.',
  'task.watch': () => 'Wait until it is waiting for a message.',
  'task.history': () => 'Look at the messages and calls of the task.',
  'task.retry': ({ mode }) =>
    mode === 'new' ? 'Start the task over.' : 'Let it go on from where it stopped.',
  'task.raise_limit': ({ limit }) => `Try it again with a higher limit (limits.${limit}).`,
  'task.drop_cost_limit': () => 'Submit it without a cost limit.',
  'task.interrupt': () => 'Interrupt what it is doing.',
  'task.pause': () => 'Pause the task.',
  'task.resume': () => 'Let a paused task go on.',
  'task.cancel': () => 'Cancel the task.',
  'transition.list': () => 'See where the task may go from its mode.',
  'transition.fire': ({ trigger }) => `Fire ${trigger}.`,
  'message.list': () => 'Check the id: list the messages that the agent has not read.',
  'message.send': () => 'Send another message.',
  'interaction.list': () => 'Check the id: list what waits for a person.',
  'interaction.show': () => 'Look at what is asked, and at the answer that counts.',
  'checkpoint.list': () => 'Check the id: list the checkpoints of the task.',
  'process.list': () => 'Check the id: list the processes of the task.',
  'process.kill': () => 'End the process.',
  'process.show': () => 'See how the process ended.',
  'webhook.list': () => 'List the webhooks.',
  'webhook.enable': () => 'Enable the webhook.',
  'webhook.rotate_secret': () => 'If you lost its secret, have a new one made.',
  'delivery.list': () => 'Check the id: list the deliveries of the webhook.',
  'provider.list': () => 'Check the id: list the provider keys.',
  'policy.list': () => 'List the policy layers that exist.',
  'tenant.list': () => 'Check the id: list the tenants.',
  'tenant.update': () => 'Change the tenant that exists.',
  'queue.list': () => 'Check the name: list the queues.',
  'worker.list': () => 'Check the id: list the workers that live.',
  'bulk_action.list': () => 'Check the id: list the bulk actions.',
  'share.list': () => 'Check the id: list the links of the task.',
  'view.list': () => 'List the saved views.',
  'api_key.list': () => 'Check the id: list the keys.',
  'key.use': () => 'Use a valid key.',
  'key.find': () =>
    'On the machine of the gateway, the key is in the file "key" of its home folder, such as .bullpen/key.',
  'key.use_scope': ({ scope }) => `Use a key with the scope "${scope}".`,
  'login_link.create': () => 'Make a new login link.',
  'system.check': () => 'See what is missing.',
  'log.search': ({ traceId }) =>
    `If it keeps happening, look for the traceId ${traceId} in the log of the gateway.`,
  'reference.read': () => 'See what it takes.',
  'request.repeat': () => 'Try again in a moment.',
  'request.new_key': () => 'Use another Idempotency-Key for a different request.',
  'stream.close': () => 'Close a stream that is no longer needed.',
  'setting.change': ({ setting }) => `Change the setting ${setting} and restart the gateway.`,
  'workspace.choose': () =>
    "Name a folder of the gateway's machine by its absolute path, or a repository by its https address; the settings WORKSPACE_PATHS, WORKSPACE_IN_PLACE, GIT_HOSTS and GIT_PROTOCOLS say which are allowed.",
  'output.read_there': ({ host }) =>
    `Look into the folder "outputs" of the home folder on ${host}, or give both machines the same one.`,
};
