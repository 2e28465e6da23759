/** `bullpen policy …`: what may run without asking; the layers of it, and trials. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { ApiError } from '@bullpen/client';
import {
  ApprovalSettings,
  HostRules,
  NO_RULES,
  PolicyLayer,
  PolicyScope,
  type PolicyView,
} from '@bullpen/contracts';
import { EMPTY_LAYER, mergeLayer } from '@bullpen/core';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdOption } from '../ids/id-parameters.js';
import { oneLine } from '../render/plain-text.js';
import { readJsonFile, registerPolicyTest } from './policy-test.js';
import { UNATTENDED } from './unattended.js';

type Category = keyof ApprovalSettings;
const CATEGORIES = ApprovalSettings.keyof().options;

interface PlaceFlags {
  readonly scope?: PolicyScope;
  readonly key?: string;
}
interface SetFlags extends PlaceFlags {
  readonly on?: readonly Category[];
  readonly off?: readonly Category[];
  readonly lock?: readonly Category[];
  readonly file?: string;
  readonly remove?: boolean;
}
type Kind = 'command' | 'tool' | 'file' | 'host' | 'exception';

export function registerPolicy(program: Command, context: Context): void {
  const policy = program.command('policy');
  withExamples(policy, [
    ['bullpen policy test "git push --force"', 'needs no server'],
    ['bullpen policy show', 'all layers that are set'],
    ['bullpen policy allow "npm ci" --scope project', 'for tasks on this folder'],
  ]);
  registerPolicyTest(policy, context);
  policy.addHelpText('after', `\n${UNATTENDED}`);
  withPlace(policy.command('show'))
    .description('the layers that are set, or one of them; and what the level unattended means')
    .action((_, self: Command) => show(context, self));
  withPlace(policy.command('set'))
    .description('change the categories of a layer, or all of it from a file')
    .option('--on <category...>', 'categories that run without asking', collect)
    .option('--off <category...>', 'categories that need approval', collect)
    .option('--lock <category...>', 'categories that narrower layers cannot turn on', collect)
    .option('--file <path>', 'JSON of the whole layer: approvals, locked, rules')
    .option('--remove', 'remove the layer')
    .action((_, self: Command) => set(context, self));
  for (const verb of ['allow', 'deny'] as const) {
    withPlace(policy.command(verb))
      .description(
        verb === 'allow'
          ? "allow a command, a server's tool, a protected file or a host without asking"
          : 'refuse a command, a tool or a host, or protect a file',
      )
      .argument('<entry>', 'the first words of a command, the name of a tool, a path, or a host')
      .addOption(
        new Option('--kind <kind>', 'kind of entry; exception: a dangerous command, word for word')
          .choices(
            verb === 'allow'
              ? ['command', 'tool', 'file', 'host', 'exception']
              : ['command', 'tool', 'file', 'host'],
          )
          .default('command'),
      )
      .action((entry: string, _, self: Command) => addEntry(context, verb, entry, self));
  }
}

function withPlace(command: Command): Command {
  return command
    .addOption(new Option('--scope <scope>', 'which layer').choices(PolicyScope.options))
    .addOption(
      new IdOption(
        '--key <key>',
        ['task'],
        'folder of the project (default: this folder), or id of the root task',
        ({ scope }) => scope === 'task',
      ),
    );
}

/** Commander calls this for each word behind the flag. */
function collect(word: string, before: readonly Category[] | undefined): Category[] {
  const category = CATEGORIES.find((name) => name === word);
  if (category === undefined) throw new InvalidArgumentError(`Categories: ${CATEGORIES.join(', ')}.`);
  return [...(before ?? []), category];
}

interface Place {
  readonly scope: PolicyScope;
  readonly key: string;
}

function placeOf({ scope = 'installation', key }: PlaceFlags, { cwd }: Context): Place {
  if (scope === 'installation') return { scope, key: '' };
  if (scope === 'task') {
    if (key === undefined) throw new CliError(EXIT.usage, 'Name the root task with --key.');
    return { scope, key };
  }
  const folder = resolve(cwd, key ?? '.');
  try {
    return { scope, key: realpathSync(folder) };
  } catch {
    // On the gateway's machine it may be there.
    return { scope, key: folder };
  }
}

async function show(context: Context, self: Command): Promise<void> {
  const options = optionsOf<PlaceFlags>(self);
  const { client } = connect(context, options);
  const { io } = context;
  if (options.scope !== undefined) {
    const { scope, key } = placeOf(options, context);
    const view = await client.policies.get(scope, key);
    return options.json ? printJson(io, view) : io.out(render(view));
  }
  const data = await client.policies.list();
  if (options.json) return printJson(io, { data });
  if (data.length === 0) io.err(io.errColors.dim('No layer is set; the defaults apply.'));
  io.out([...data.map(render), UNATTENDED].join('\n\n'));
}

async function set(context: Context, self: Command): Promise<void> {
  const options = optionsOf<SetFlags>(self);
  const { client } = connect(context, options);
  const place = placeOf(options, context);
  const { on = [], off = [], lock = [], file } = options;
  if (options.remove)
    return done(context, options.json, await client.policies.remove(place.scope, place.key));
  const whole = file === undefined ? null : readJsonFile(context.cwd, file, '--file', PolicyLayer);
  if (whole === null && on.length + off.length + lock.length === 0)
    throw new CliError(EXIT.usage, 'Nothing to change: give --on, --off, --lock, --file or --remove.');
  const approvals = Object.fromEntries([...on.map((key) => [key, true]), ...off.map((key) => [key, false])]);
  const patch: PolicyLayer = { approvals, locked: [...lock], rules: NO_RULES };
  const view = await change(client, place, (layer) => mergeLayer(whole ?? layer, patch));
  done(context, options.json, view);
}

async function addEntry(
  context: Context,
  verb: 'allow' | 'deny',
  entry: string,
  self: Command,
): Promise<void> {
  const options = optionsOf<PlaceFlags & { readonly kind: Kind }>(self);
  const patch = { ...EMPTY_LAYER, rules: rulesWith(verb, options.kind, entry) };
  const { client } = connect(context, options);
  const view = await change(client, placeOf(options, context), (layer) => mergeLayer(layer, patch));
  done(context, options.json, view);
}

function rulesWith(verb: 'allow' | 'deny', kind: Kind, entry: string): PolicyLayer['rules'] {
  const { commands, tools, files } = NO_RULES;
  switch (kind) {
    case 'command':
      return { ...NO_RULES, commands: { ...commands, [verb]: [entry] } };
    case 'exception':
      return { ...NO_RULES, commands: { ...commands, exceptions: [entry] } };
    case 'tool':
      return { ...NO_RULES, tools: { ...tools, [verb]: [entry] } };
    case 'file':
      return { ...NO_RULES, files: { ...files, [verb === 'allow' ? 'exceptions' : 'protect']: [entry] } };
    case 'host':
      return { ...NO_RULES, network: hostRules(verb, entry) };
  }
}

function hostRules(verb: 'allow' | 'deny', entry: string): HostRules {
  const parsed = HostRules.safeParse({ [verb]: [entry] });
  if (parsed.success) return parsed.data;
  throw new CliError(EXIT.usage, `"${entry}": ${parsed.error.issues[0]?.message}.`);
}

/** How often to try again when somebody else was faster. */
const TRIES = 5;

/** Reads a layer, changes it and writes it, and does so again when somebody else wrote meanwhile. */
async function change(
  client: Client,
  { scope, key }: Place,
  changed: (layer: PolicyLayer) => PolicyLayer,
): Promise<PolicyView> {
  for (let tries = 1; ; tries += 1) {
    const now = await client.policies.get(scope, key).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    });
    const body = { layer: changed(now?.layer ?? EMPTY_LAYER), revision: now?.revision ?? 0 };
    try {
      return await client.policies.put(scope, key, body);
    } catch (error) {
      const isLost = error instanceof ApiError && error.code === 'revision_conflict' && tries < TRIES;
      if (!isLost) throw error;
    }
  }
}

function done({ io }: Context, json: boolean | undefined, view: PolicyView): void {
  if (json) printJson(io, view);
  else io.out(render(view));
}

function render({ scope, key, layer, revision, updatedBy }: PolicyView): string {
  const lines = [oneLine(`${scope}${key === '' ? '' : ` ${key}`} (revision ${revision}, by ${updatedBy})`)];
  for (const category of CATEGORIES) {
    const value = layer.approvals[category];
    const isLocked = layer.locked.includes(category);
    if (value === undefined && !isLocked) continue;
    lines.push(
      `  ${category}: ${value === undefined ? 'as before' : value ? 'on' : 'off'}${isLocked ? ', locked' : ''}`,
    );
  }
  for (const [kind, lists] of Object.entries(layer.rules)) {
    for (const [list, entries] of Object.entries(lists as Record<string, string[]>))
      if (entries.length > 0) lines.push(oneLine(`  ${kind} ${list}: ${entries.join(' · ')}`));
  }
  return lines.join('\n');
}
