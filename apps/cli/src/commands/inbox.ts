/** `bullpen inbox`: what waits for a person. */
import { InteractionKind, InteractionState, type InteractionView } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument, IdOption } from '../ids/id-parameters.js';
import { placeOf } from '../people/place-of.js';
import { answerCommands, inboxTable } from '../render/inbox-table.js';
import { interactionLines } from '../render/interaction.js';

interface InboxFlags {
  readonly task?: string;
  readonly kind?: InteractionKind;
  readonly state?: InteractionState;
  readonly all?: boolean;
}

export function registerInbox(program: Command, context: Context): void {
  const inbox = program
    .command('inbox')
    .addArgument(new IdArgument('[id]', ['ask'], 'show this one, like inbox show'))
    .addOption(new IdOption('--task <id>', ['task'], 'only this task; for a root, its whole tree'))
    .addOption(new Option('--kind <kind>', 'only this kind').choices(InteractionKind.options))
    .addOption(
      new Option('--state <state>', 'this state instead of pending').choices(InteractionState.options),
    )
    .option('--all', 'in every state')
    .action((id: string | undefined, _, self: Command) =>
      id === undefined ? list(context, self) : show(context, id, self),
    );
  inbox
    .command('show')
    .description('one request in full: the command and its parts, the change, the plan, the options')
    .addArgument(new IdArgument('<id>', ['ask'], 'id from bullpen inbox'))
    .action((id: string, _, self: Command) => show(context, id, self));
  withExamples(inbox, [
    ['bullpen inbox', 'what waits now'],
    ['bullpen inbox show ask_…', 'one in full; the last characters of the id are enough'],
    ['bullpen approve ask_…', 'let it run (see also: deny, answer)'],
  ]);
}

async function list(context: Context, self: Command): Promise<void> {
  const { io } = context;
  const options = optionsOf<InboxFlags>(self);
  const { client } = connect(context, options);
  const place = options.task === undefined ? {} : await placeOf(client, options.task);
  const kind = options.kind === undefined ? {} : { kind: options.kind };
  const states = options.all ? InteractionState.options : [options.state ?? 'pending'];
  const views: InteractionView[] = [];
  for (const state of states)
    for await (const view of client.interactions.iterate({ ...place, ...kind, state, limit: 200 }))
      views.push(view);
  views.sort((left, right) => left.createdAt.localeCompare(right.createdAt));
  if (options.json) return printJson(io, { data: views });
  if (views.length === 0) return io.err('Nothing waits for you.');
  const withState = options.all === true || options.state !== undefined;
  io.out(inboxTable(views, io.tableColumns(), io.now(), io.outColors, withState));
}

async function show(context: Context, id: string, self: Command): Promise<void> {
  const { io } = context;
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const view = await client.interactions.get(id);
  if (options.json) return printJson(io, view);
  const look = { colors: io.outColors, width: io.columns(), now: io.now() };
  io.out(interactionLines(view, look).join('\n'));
  if (view.state !== 'pending') return;
  for (const command of answerCommands(view)) io.err(`${io.errColors.cyan('next:')} ${command}`);
}
