/** `bullpen providers`: the keys that models are called with, and what is wrong with them. */
import type { ProviderKeyView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { plural } from '../render/format.js';
import { providerTable } from '../render/provider-table.js';

export function registerProviders(program: Command, context: Context): void {
  const providers = program.command('providers');
  const list = providers
    .command('list', { isDefault: true })
    .alias('ls')
    .description('the state of each key, and what waits for it')
    .action((_, self: Command) => listKeys(context, self));
  withExamples(list, [['bullpen providers list', "what is wrong with a key, in the provider's own words"]]);
  const resume = providers
    .command('resume')
    .description('use a key again once it is fixed; all tasks that wait for it go on')
    .addArgument(
      new IdArgument(
        '[id]',
        ['provider'],
        'id of the key; may be left out when only one is parked or paused',
      ),
    )
    .action((id: string | undefined, _, self: Command) => resumeKey(context, id, self));
  withExamples(resume, [['bullpen providers resume', 'the one that is parked']]);
}

async function listKeys(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const keys = await client.providers.list();
  const { io } = context;
  if (options.json) return printJson(io, { data: keys });
  if (keys.length === 0) return io.err(io.errColors.dim('No worker has called a model yet.'));
  io.out(providerTable(keys, io.tableColumns(), io.now(), io.outColors));
  if (keys.some(({ state }) => state === 'parked'))
    io.err(io.errColors.yellow('Fix the parked key, then: bullpen providers resume <id>'));
}

async function resumeKey(context: Context, given: string | undefined, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const id = given ?? (await onlyClosed(client)).id;
  const key = await client.providers.resume(id);
  const { io } = context;
  if (options.json) return printJson(io, key);
  const left = key.waitingTasks === 0 ? '' : `; ${plural(key.waitingTasks, 'task')} still to be woken`;
  io.err(`${key.id} is ${key.state}${left}`);
}

/** The key that is meant when none is named. */
async function onlyClosed(client: Client): Promise<ProviderKeyView> {
  const keys = await client.providers.list();
  const parked = keys.filter(({ state }) => state === 'parked');
  const closed = parked.length > 0 ? parked : keys.filter(({ state }) => state === 'paused');
  const [key] = closed;
  if (key && closed.length === 1) return key;
  const message = key
    ? `Several keys are ${key.state}: ${closed.map(({ id }) => id).join(', ')}. Name one.`
    : 'No key is parked or paused.';
  throw new CliError(EXIT.usage, message);
}
