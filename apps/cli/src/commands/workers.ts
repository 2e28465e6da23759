/** `bullpen workers`: who runs what, and whether they should take more. */
import type { WorkerTask, WorkerView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { age } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';
import { renderTable } from '../render/table.js';
import { flowText, FLOW_VERBS, type FlowFlags } from './flow-verbs.js';

export function registerWorkers(program: Command, context: Context): void {
  const workers = program.command('workers');
  withExamples(workers, [
    ['bullpen workers', 'who does what?'],
    ['bullpen workers drain worker_…', 'empty one'],
  ]);
  const list = workers
    .command('list', { isDefault: true })
    .alias('ls')
    .description('workers that live, and what each of them runs')
    .action((_, self: Command) => listWorkers(context, self));
  withExamples(list, [['bullpen workers', 'who does what?']]);
  const explained = {
    pause: 'take nothing new; what it runs is let run',
    drain: 'take nothing new, and give what it runs to others',
    resume: 'take tasks again',
  };
  for (const verb of FLOW_VERBS) {
    const command = workers
      .command(verb)
      .description(explained[verb])
      .addArgument(new IdArgument('<id>', ['worker'], 'id of the worker'))
      .option('--reason <text>', 'why, for others who look')
      .action((id: string, _, self: Command) => change(context, verb, id, self));
    withExamples(command, [[`bullpen workers ${verb} worker_…`, explained[verb]]]);
  }
}

async function change(
  context: Context,
  verb: (typeof FLOW_VERBS)[number],
  id: string,
  self: Command,
): Promise<void> {
  const { reason, ...options } = optionsOf<FlowFlags>(self);
  const { client } = connect(context, options);
  const worker = await client.workers[verb](id, reason === undefined ? {} : { reason });
  if (options.json) return printJson(context.io, worker);
  context.io.err(`${worker.id} is ${flowText(worker.flow, context.io.now())}`);
}

interface Row {
  readonly worker: WorkerView;
  readonly first: boolean;
  readonly task: WorkerTask | null;
}

async function listWorkers(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const list = await client.workers.list();
  const { io } = context;
  if (options.json) return printJson(io, list);
  if (list.data.length === 0) return io.err(io.errColors.yellow('No worker is there. Start one: bullpen up'));
  const now = Date.parse(list.now);
  const rows = list.data.flatMap((worker): Row[] =>
    worker.tasks.length === 0
      ? [{ worker, first: true, task: null }]
      : worker.tasks.map((task, index) => ({ worker, first: index === 0, task })),
  );
  io.out(
    renderTable(
      rows,
      [
        { title: 'WORKER', value: ({ worker, first }) => (first ? worker.id : ''), ids: true },
        { title: 'HOST', value: ({ worker, first }) => (first ? oneLine(worker.host) : '') },
        { title: 'FLOW', value: ({ worker, first }) => (first ? worker.flow.state : '') },
        {
          title: 'SLOTS',
          value: ({ worker, first }) => (first ? `${worker.running}/${worker.slots}` : ''),
          align: 'right',
        },
        { title: 'RUNS', value: ({ task }) => oneLine(task?.title ?? '-'), shrinkTo: 12 },
        { title: 'DOES', value: ({ task }) => doing(task), shrinkTo: 10 },
        { title: 'SINCE', value: ({ task }) => (task ? age(task.since, now) : ''), align: 'right' },
      ],
      io.tableColumns(),
      io.outColors,
    ),
  );
}

function doing(task: WorkerTask | null): string {
  if (!task?.doing) return '';
  const { name, detail } = task.doing;
  return oneLine(detail === null ? name : `${name} ${detail}`);
}
