/** `bullpen queues`: whether work flows, and the word that it should stop or go on. */
import type { QueueFigures, QueueView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { ago, duration, plural } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import { renderTable } from '../render/table.js';
import { flowText, FLOW_VERBS, type FlowFlags } from './flow-verbs.js';

/** The one queue that there is. */
const NAME = 'tasks';

export function registerQueues(program: Command, context: Context): void {
  const queues = program.command('queues');
  withExamples(queues, [
    ['bullpen queues', 'is work flowing?'],
    ['bullpen queues drain --reason Upgrade', 'begin no new tree'],
  ]);
  const list = queues
    .command('show', { isDefault: true })
    .description('depth, rates and waits, by tenant; repairs and paused keys')
    .action((_, self: Command) => show(context, self));
  withExamples(list, [['bullpen queues', 'is work flowing?']]);
  const explained = {
    pause: 'nothing starts or goes on; what runs is let run until it waits or ends',
    drain: 'begin no new tree; those that have begun go on to their end',
    resume: 'let work flow again',
  };
  for (const verb of FLOW_VERBS) {
    const command = queues
      .command(verb)
      .description(explained[verb])
      .option('--reason <text>', 'why, for others who look')
      .action((_, self: Command) => change(context, verb, self));
    withExamples(command, [[`bullpen queues ${verb}`, explained[verb]]]);
  }
}

async function change(context: Context, verb: (typeof FLOW_VERBS)[number], self: Command): Promise<void> {
  const { reason, ...options } = optionsOf<FlowFlags>(self);
  const { client } = connect(context, options);
  const queue = await client.queues[verb](NAME, reason === undefined ? {} : { reason });
  if (options.json) return printJson(context.io, queue);
  context.io.err(`the queue is ${flowText(queue.flow, context.io.now())}`);
}

async function show(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const data = await client.queues.list();
  if (options.json) return printJson(context.io, { data });
  for (const queue of data) print(context, queue);
}

function print({ io }: Context, queue: QueueView): void {
  const now = Date.parse(queue.now);
  const { slots, flow, repairs, providers, total, tenants } = queue;
  if (flow.state !== 'open') io.err(io.errColors.yellow(`The queue is ${flowText(flow, now)}`));
  const rows = [{ ...total, tenantId: queue.covers === 'all' ? 'all' : 'yours' }];
  io.out(table(tenants.length > 1 ? [...tenants, ...rows] : rows, io));
  const closed = slots.closed === 0 ? '' : `, ${slots.closed} of them closed`;
  io.err(
    `${slots.used} of ${plural(slots.total, 'slot')} in use on ${plural(slots.workers, 'worker')}${closed}`,
  );
  if (slots.workers === 0 && total.depth.ready > 0)
    io.err(io.errColors.yellow('No worker is there to take them: bullpen up'));
  for (const { text, lastDay, lastAt } of repairs)
    if (lastDay > 0) io.err(`repaired ${lastDay} times in the last day, last ${ago(lastAt, now)}: ${text}`);
  for (const { id, state } of providers)
    io.err(io.errColors.yellow(`The key ${id} is ${state}: bullpen providers`));
}

type Row = QueueFigures & { readonly tenantId: string };
const ms = (value: number | null): string => (value === null ? '-' : duration(value));

function table(rows: readonly Row[], io: Context['io']): string {
  return renderTable(
    rows,
    [
      { title: 'TENANT', value: ({ tenantId }) => oneLine(tenantId) },
      { title: 'READY', value: ({ depth }) => String(depth.ready), align: 'right' },
      { title: 'LATER', value: ({ depth }) => String(depth.later), align: 'right' },
      { title: 'RUNNING', value: ({ depth }) => String(depth.running), align: 'right' },
      { title: 'NEEDS YOU', value: ({ depth }) => String(depth.people), align: 'right' },
      { title: 'WAITING', value: ({ depth }) => String(depth.waiting), align: 'right' },
      { title: 'OLDEST', value: ({ oldestReadyMs }) => ms(oldestReadyMs), align: 'right' },
      { title: 'IN/MIN', value: ({ inPerMinute }) => String(inPerMinute), align: 'right' },
      { title: 'OUT/MIN', value: ({ outPerMinute }) => String(outPerMinute), align: 'right' },
      { title: 'WAIT P95', value: ({ wait }) => ms(wait.p95), align: 'right' },
      { title: 'RUN P95', value: ({ run }) => ms(run.p95), align: 'right' },
    ],
    io.tableColumns(),
    io.outColors,
  );
}
