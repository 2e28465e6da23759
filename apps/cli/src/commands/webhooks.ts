/** `bullpen webhooks …`: addresses that hear about what waits and what ended. */
import { DeliveryState, WebhookEventType } from '@bullpen/contracts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { oneLine } from '../render/plain-text.js';
import { deliveryDetails, deliveryTable, webhookTable, type TableOptions } from '../render/webhook-tables.js';
import { parsePositive } from './task-input.js';
import { testWebhook } from './webhooks-test.js';

interface AddFlags {
  readonly events?: WebhookEventType[];
  readonly subtasks?: boolean;
  readonly description?: string;
}

interface LogFlags {
  readonly limit: number;
  readonly state?: DeliveryState;
}

const LARGEST_PAGE = 200;

export function registerWebhooks(program: Command, context: Context): void {
  const webhooks = program.command('webhooks');
  withExamples(webhooks, [
    ['bullpen webhooks add https://example.com/hook', 'prints the secret, once'],
    ['bullpen webhooks test webhook_…', 'does it arrive?'],
    ['bullpen webhooks log webhook_… --state failed', 'what did not'],
  ]);
  registerManaging(webhooks, context);
  registerDeliveries(webhooks, context);
}

function registerManaging(webhooks: Command, context: Context): void {
  const all = webhooks
    .command('list', { isDefault: true })
    .alias('ls')
    .description('all webhooks, and whether they work')
    .action((_, self: Command) => list(context, self));
  withExamples(all, [['bullpen webhooks list', 'which are disabled, and why']]);
  const added = webhooks
    .command('add')
    .description('add a webhook; the secret for verifying its messages is printed once')
    .argument('<url>', 'https:// or http:// address that takes POST requests')
    .option('-e, --events <types>', `only these: ${WebhookEventType.options.join(', ')}`, parseEvents)
    .option('--subtasks', 'also for subtasks, not only for tasks without a parent')
    .option('-d, --description <text>', 'what it is for')
    .action((url: string, _, self: Command) => add(context, url, self));
  withExamples(added, [
    [
      'bullpen webhooks add https://example.com/hook --events task.failed,task.waiting',
      'only when it matters',
    ],
  ]);
  const removed = webhooks
    .command('remove')
    .alias('rm')
    .description('remove a webhook and its log of deliveries')
    .addArgument(new IdArgument('<id>', ['webhook'], 'id of the webhook'))
    .action((id: string, _, self: Command) => remove(context, id, self));
  withExamples(removed, [['bullpen webhooks remove webhook_…', 'unsent deliveries are dropped']]);
  const enabled = webhooks
    .command('enable')
    .description('use a disabled webhook again, from now on')
    .addArgument(new IdArgument('<id>', ['webhook'], 'id of the webhook'))
    .action((id: string, _, self: Command) => enable(context, id, self));
  withExamples(enabled, [['bullpen webhooks enable webhook_…', 'once the receiver is fixed']]);
  const rotated = webhooks
    .command('rotate')
    .description('create a new secret, printed once; for a day, messages are signed with the old one as well')
    .addArgument(new IdArgument('<id>', ['webhook'], 'id of the webhook'))
    .action((id: string, _, self: Command) => rotate(context, id, self));
  withExamples(rotated, [['bullpen webhooks rotate webhook_…', 'then give it to the receiver']]);
}

function registerDeliveries(webhooks: Command, context: Context): void {
  const test = webhooks
    .command('test')
    .description('send a ping and wait for the result of its first attempt')
    .addArgument(new IdArgument('<id>', ['webhook'], 'id of the webhook'))
    .action((id: string, _, self: Command) => testWebhook(context, id, self));
  withExamples(test, [['bullpen webhooks test webhook_…', 'does it arrive?']]);
  const log = webhooks
    .command('log')
    .description('what was sent to a webhook, newest first; or all of one delivery')
    .addArgument(new IdArgument('<id>', ['webhook', 'delivery'], 'id of a webhook or of a delivery'))
    .addOption(new Option('-s, --state <state>', 'only these').choices(DeliveryState.options))
    .option('-n, --limit <n>', `at most this many, up to ${LARGEST_PAGE}`, parsePositive, 20)
    .action((id: string, _, self: Command) => showLog(context, id, self));
  withExamples(log, [
    ['bullpen webhooks log webhook_… --state failed', 'what did not arrive'],
    ['bullpen webhooks log delivery_…', 'its body and each attempt'],
  ]);
  const replay = webhooks
    .command('replay')
    .description('send a delivery once more, with the same id')
    .addArgument(new IdArgument('<id>', ['delivery'], 'id of the delivery'))
    .action((id: string, _, self: Command) => sendAgain(context, id, self));
  withExamples(replay, [['bullpen webhooks replay delivery_…', 'after the receiver is fixed']]);
}

async function list(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const data = await connect(context, options).client.webhooks.list();
  if (options.json) return printJson(io, { data });
  if (data.length === 0) return io.err(io.errColors.dim('No webhooks. Add one: bullpen webhooks add <url>'));
  io.out(webhookTable(data, tableOptions(context)));
  for (const { id, disabledReason } of data)
    if (disabledReason !== null)
      io.err(
        `${io.errColors.yellow(`${id} is disabled: ${oneLine(disabledReason)}`)}\nnext: bullpen webhooks enable ${id}`,
      );
}

async function add(context: Context, url: string, self: Command): Promise<void> {
  const options = optionsOf<AddFlags>(self);
  const { io } = context;
  const { events, subtasks, description } = options;
  const made = await connect(context, options).client.webhooks.create({
    url,
    ...(events && { events }),
    ...(subtasks !== undefined && { subtasks }),
    ...(description !== undefined && { description }),
  });
  if (options.json) return printJson(io, made);
  io.err(`Created ${made.id}. Its secret, shown only this once:`);
  io.out(made.secret);
}

async function remove(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  await connect(context, options).client.webhooks.delete(id);
  if (options.json) printJson(context.io, { id });
  else context.io.err(`${id} is removed`);
}

async function enable(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const enabled = await connect(context, options).client.webhooks.update(id, { enabled: true });
  if (options.json) printJson(context.io, enabled);
  else
    context.io.err(
      `${id} is enabled again, from now on. What it missed: bullpen webhooks log ${id} --state failed`,
    );
}

async function rotate(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const rotated = await connect(context, options).client.webhooks.rotateSecret(id);
  if (options.json) return printJson(io, rotated);
  io.err(`The old secret also signs until ${rotated.previousUntil}. The new one, shown only this once:`);
  io.out(rotated.secret);
}

async function showLog(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<LogFlags>(self);
  const { io } = context;
  const { client } = connect(context, options);
  if (id.startsWith('delivery_')) {
    const delivery = await client.webhooks.delivery(id);
    if (options.json) printJson(io, delivery);
    else io.out(deliveryDetails(delivery, tableOptions(context)));
    return;
  }
  const limit = Math.min(options.limit, LARGEST_PAGE);
  const page = await client.webhooks.deliveries(id, {
    limit,
    ...(options.state && { state: options.state }),
  });
  if (options.json) return printJson(io, page);
  if (page.data.length === 0) return io.err(io.errColors.dim('No deliveries match.'));
  io.out(deliveryTable(page.data, tableOptions(context)));
  if (page.hasMore) io.err(io.errColors.dim('There are more: use --limit or --state.'));
}

async function sendAgain(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const delivery = await connect(context, options).client.webhooks.replay(id);
  if (options.json) printJson(context.io, delivery);
  else context.io.err(`${delivery.id} is queued; see: bullpen webhooks log ${delivery.id}`);
}

function tableOptions({ io }: Context): TableOptions {
  return { width: io.tableColumns(), now: io.now(), colors: io.outColors };
}

function parseEvents(text: string): WebhookEventType[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !WebhookEventType.safeParse(word).success);
  if (unknown !== undefined)
    throw new InvalidArgumentError(`"${unknown}" is not one of ${WebhookEventType.options.join(', ')}.`);
  return words as WebhookEventType[];
}
