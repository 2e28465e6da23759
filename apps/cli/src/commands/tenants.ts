/** `bullpen tenants …`: who shares the installation, and how much of it each may have. */
import type { TenantView, UpdateTenant } from '@bullpen/contracts';
import { InvalidArgumentError, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { oneLine } from '../render/plain-text.js';
import { renderTable } from '../render/table.js';
import { parsePositive } from './task-input.js';

interface ShareFlags {
  readonly weight?: number;
  readonly maxRunning?: number | 'none';
  readonly name?: string;
}

export function registerTenants(program: Command, context: Context): void {
  const tenants = program.command('tenants');
  withExamples(tenants, [
    ['bullpen tenants list', 'weights, limits, and what is running'],
    ['bullpen tenants create research --weight 3', "prints the new tenant's API key, once"],
    ['bullpen tenants set research --max-running 4', 'at most four tasks at the same time'],
  ]);
  const all = tenants
    .command('list')
    .description('all tenants')
    .action((_, self: Command) => list(context, self));
  withExamples(all, [['bullpen tenants list', 'weights, limits, and what is running']]);
  const made = withShareFlags(tenants.command('create'))
    .description('create a tenant and a key for it, which is printed once')
    .argument('<id>', 'lower-case letters, digits and hyphens')
    .action((id: string, _, self: Command) => create(context, id, self));
  withExamples(made, [['bullpen tenants create research --weight 3', 'three times the share of the others']]);
  const changed = withShareFlags(tenants.command('set'))
    .description('change the given settings, for tasks started from now on')
    .addArgument(new IdArgument('<id>', ['tenant'], 'id of the tenant'))
    .action((id: string, _, self: Command) => set(context, id, self));
  withExamples(changed, [['bullpen tenants set research --max-running none', 'limited only by the slots']]);
  const key = tenants
    .command('key')
    .description('create another API key for a tenant; it is printed once')
    .addArgument(new IdArgument('<id>', ['tenant'], 'id of the tenant'))
    .action((id: string, _, self: Command) => createKey(context, id, self));
  withExamples(key, [['bullpen tenants key research', 'the key may read and write']]);
}

function withShareFlags(command: Command): Command {
  return command
    .option('--weight <n>', 'share of the slots relative to other tenants, 1 to 1000', parsePositive)
    .option('--max-running <n>', 'most tasks at the same time, or none', parseMaxRunning)
    .option('--name <text>', 'display name');
}

async function createKey(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const made = await client.tenants.createKey(id);
  if (options.json) printJson(context.io, made);
  else context.io.out(made.key);
}

async function list(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const { io } = context;
  const data = await client.tenants.list();
  if (options.json) printJson(io, { data });
  else io.out(tenantTable(data, io));
}

async function create(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<ShareFlags>(self);
  const { client } = connect(context, options);
  const { io } = context;
  const tenant = await client.tenants.create({ id, ...shareOf(options) });
  const { key } = await client.tenants.createKey(id);
  if (options.json) return printJson(io, { tenant, key });
  io.err(`Created tenant ${id}. Its API key, shown only this once:`);
  io.out(key);
}

async function set(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<ShareFlags>(self);
  const change = shareOf(options);
  if (Object.keys(change).length === 0)
    throw new CliError(EXIT.usage, 'Nothing to change: give --weight, --max-running or --name.');
  const { client } = connect(context, options);
  const { io } = context;
  const tenant = await client.tenants.update(id, change);
  if (options.json) printJson(io, tenant);
  else io.out(tenantTable([tenant], io));
}

function shareOf({ weight, maxRunning, name }: ShareFlags): UpdateTenant {
  return {
    ...(weight !== undefined && { weight }),
    ...(maxRunning !== undefined && { maxRunning: maxRunning === 'none' ? null : maxRunning }),
    ...(name !== undefined && { name }),
  };
}

function tenantTable(tenants: readonly TenantView[], io: Context['io']): string {
  return renderTable(
    tenants,
    [
      { title: 'TENANT', value: (tenant) => oneLine(tenant.id) },
      { title: 'NAME', value: (tenant) => oneLine(tenant.name), shrinkTo: 10 },
      { title: 'WEIGHT', value: (tenant) => String(tenant.weight) },
      { title: 'LIMIT', value: (tenant) => String(tenant.maxRunning ?? 'none') },
      { title: 'RUNNING', value: (tenant) => String(tenant.running) },
      { title: 'QUEUED', value: (tenant) => String(tenant.queued) },
    ],
    io.tableColumns(),
    io.outColors,
  );
}

/** Commander takes a null for no value at all, so "none" stays a word. */
function parseMaxRunning(text: string): number | 'none' {
  if (text === 'none') return text;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number of at least 1, or none.');
}
