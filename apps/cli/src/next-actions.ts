/** What can be done about a refusal, as somebody at a terminal does it: a sentence, and the command. */
import {
  actionText,
  tellAction,
  type NextAction,
  type NextActionTable,
  type RaisableLimit,
} from '@bullpen/contracts';

/** `start the task over: bullpen retry task_… --new`, in the middle of a line. */
export function actionLine(action: NextAction): string {
  const command = tellAction(COMMANDS, action);
  const text = actionText(action).replace(/^./, (first) => first.toLowerCase());
  return [text.replace(/\.$/, ''), command].filter(Boolean).join(': ');
}

const RAISE: Readonly<Record<RaisableLimit, string | null>> = {
  turns: '--turns N',
  tokens: '--tokens N',
  costUsd: '--budget USD',
  activeMs: null,
};

type Maybe<Key extends string> = { readonly [K in Key]?: string | undefined };
const task = ({ taskId = 'TASK' }: Maybe<'taskId'>): string => taskId;
const webhook = ({ webhookId = 'WEBHOOK' }: Maybe<'webhookId'>): string => webhookId;

/** Null: the sentence says it all. */
const COMMANDS: NextActionTable<string | null> = {
  'agent.list': () => 'bullpen agents',
  'task.list': () => 'bullpen tasks list --subtasks',
  'task.create': () => 'bullpen run "PROMPT"',
  'task.show': ({ taskId }) => `bullpen tasks show ${taskId}`,
  'task.watch': ({ taskId }) => `bullpen tasks watch ${taskId}`,
  'task.history': (action) => `bullpen tasks logs ${task(action)}`,
  'task.retry': ({ taskId, mode }) => `bullpen retry ${taskId}${mode === 'new' ? ' --new' : ''}`,
  'task.raise_limit': ({ taskId, limit }) =>
    RAISE[limit] === null ? null : `bullpen retry ${taskId} ${RAISE[limit]}`,
  'task.drop_cost_limit': () => 'bullpen run "PROMPT" --budget none',
  'task.interrupt': ({ taskId }) => `bullpen interrupt ${taskId}`,
  'task.pause': (action) => `bullpen pause ${task(action)} --now`,
  'task.resume': (action) => `bullpen resume ${task(action)}`,
  'task.cancel': (action) => `bullpen cancel ${task(action)}`,
  'transition.list': ({ taskId }) => `bullpen tasks transitions ${taskId}`,
  'transition.fire': ({ taskId, trigger }) => `bullpen tasks transition ${taskId} ${trigger}`,
  'message.list': (action) => `bullpen messages list ${task(action)} --pending`,
  'message.send': ({ taskId }) => `bullpen send ${taskId} "TEXT"`,
  'interaction.list': () => 'bullpen inbox',
  'interaction.show': ({ interactionId }) => `bullpen inbox show ${interactionId}`,
  'checkpoint.list': (action) => `bullpen checkpoints list ${task(action)}`,
  'process.list': (action) => `bullpen processes list ${task(action)}`,
  'process.kill': ({ processId }) => `bullpen processes kill ${processId}`,
  'process.show': ({ processId }) => `bullpen processes show ${processId}`,
  'webhook.list': () => 'bullpen webhooks list',
  'webhook.enable': ({ webhookId }) => `bullpen webhooks enable ${webhookId}`,
  'webhook.rotate_secret': (action) => `bullpen webhooks rotate ${webhook(action)}`,
  'delivery.list': (action) => `bullpen webhooks log ${webhook(action)}`,
  'provider.list': () => 'bullpen providers list',
  'policy.list': () => 'bullpen policy show',
  'tenant.list': () => 'bullpen tenants list',
  'tenant.update': ({ tenantId }) => `bullpen tenants set ${tenantId}`,
  'queue.list': () => 'bullpen queues',
  'worker.list': () => 'bullpen workers',
  'bulk_action.list': () => null,
  'share.list': () => null,
  'view.list': () => null,
  'api_key.list': () => null,
  'key.use': () => '--key-file FILE, BULLPEN_API_KEY, or a context that has one (bullpen context add)',
  'key.find': () => null,
  'key.use_scope': () => '--key-file FILE',
  'login_link.create': () => 'bullpen open',
  'system.check': () => 'bullpen doctor',
  'log.search': () => null,
  'reference.read': () => 'bullpen COMMAND --help',
  'request.repeat': () => null,
  'request.new_key': () => null,
  'stream.close': () => null,
  'setting.change': () => null,
  'workspace.choose': () => '--dir FOLDER',
  'output.read_there': () => null,
};
