/** `bullpen context`: names for the places where Bullpen runs. Keys go in and are never printed. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { optionsOf, printJson, type Context, type Options } from '../context.js';
import {
  contextNamed,
  contextsPath,
  readContexts,
  writeContexts,
  type Contexts,
  type NamedPlace,
} from '../contexts.js';
import { keyOf, readKeyFile } from '../endpoint.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { findHome, isWebAddress } from '../place.js';
import { renderTable } from '../render/table.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function registerContext(program: Command, context: Context): void {
  const contexts = program.command('context');
  const add = contexts
    .command('add')
    .description(
      'remember a gateway (--url, with its key from --key-file, where - is stdin, or from BULLPEN_API_KEY) or the Bullpen of a home folder (--home; default: the one of this folder)',
    )
    .argument('<name>')
    .action((name: string, _, self: Command) => addContext(context, name, optionsOf(self)));
  withExamples(add, [
    ['bullpen context add local', 'the Bullpen of this folder'],
    ['bullpen context add team --url https://… --key-file -', 'a gateway elsewhere, with its key from stdin'],
  ]);
  const list = contexts
    .command('list', { isDefault: true })
    .alias('ls')
    .description('all contexts; * is the current one')
    .action((_, self: Command) => listContexts(context, optionsOf(self)));
  withExamples(list, [['bullpen context list', 'where each is, and whether it has a key']]);
  const use = contexts
    .command('use')
    .description('make a context the current one, used where no folder, option or variable says otherwise')
    .argument('<name>')
    .action((name: string, _, self: Command) => useContext(context, name, optionsOf(self)));
  withExamples(use, [['bullpen context use team', 'from now on, from any folder']]);
  const show = contexts
    .command('show')
    .description('one context, or the current one')
    .argument('[name]')
    .action((name: string | undefined, _, self: Command) => showContext(context, name, optionsOf(self)));
  withExamples(show, [['bullpen context show team', 'its address and where its key is, never the key']]);
  const remove = contexts
    .command('remove')
    .alias('rm')
    .description('forget a context and its key')
    .argument('<name>')
    .action((name: string, _, self: Command) => removeContext(context, name, optionsOf(self)));
  withExamples(remove, [['bullpen context remove team', 'what runs there keeps running']]);
}

async function addContext(context: Context, name: string, options: Options): Promise<void> {
  const { io, env } = context;
  if (!NAME.test(name))
    throw new CliError(EXIT.usage, `"${name}" cannot be a name: use letters, digits, ".", "_" and "-".`);
  const { current, contexts } = readContexts(env);
  if (Object.hasOwn(contexts, name))
    throw new CliError(EXIT.conflict, `There is already a context "${name}".`, [
      `bullpen context show ${name}`,
      `bullpen context remove ${name}, then add it again`,
    ]);
  const place = options.url === undefined ? homePlace(context, options) : await urlPlace(context, options);
  const next = { current: current ?? name, contexts: { ...contexts, [name]: place } };
  writeContexts(env, next);
  if (options.json) return printJson(io, viewOf(name, next));
  io.err(`Added ${name}: ${whereOf(place)}${next.current === name ? ', now the current context' : ''}`);
}

function homePlace(context: Context, options: Options): NamedPlace {
  if (options.keyFile !== undefined)
    throw new CliError(EXIT.usage, '--key-file is for a gateway: give its address with --url as well.');
  return { home: findHome({ home: options.home }, context.env, context.cwd) };
}

async function urlPlace({ io, env, cwd }: Context, { url = '', keyFile }: Options): Promise<NamedPlace> {
  if (!isWebAddress(url))
    throw new CliError(EXIT.usage, `--url must start with http:// or https:// (it is ${url})`);
  const key =
    keyFile === '-'
      ? keyOf(await io.readStdin(), 'The text on stdin')
      : keyFile === undefined
        ? (env['BULLPEN_API_KEY'] ?? null)
        : readKeyFile(resolve(cwd, keyFile));
  return { url: url.replace(/\/+$/, ''), key };
}

function listContexts({ io, env }: Context, options: Options): void {
  const contexts = readContexts(env);
  const views = Object.keys(contexts.contexts).map((name) => viewOf(name, contexts));
  if (options.json) return printJson(io, { data: views });
  if (views.length === 0)
    return io.err(io.errColors.dim('No contexts yet. Add one: bullpen context add NAME --url URL'));
  io.out(
    renderTable(
      views,
      [
        { title: ' ', value: ({ current }) => (current ? '*' : '') },
        { title: 'CONTEXT', value: ({ name }) => name },
        { title: 'KEY', value: ({ key }) => key },
        { title: 'WHERE', value: ({ url, home }) => url ?? home ?? '', shrinkTo: 20 },
      ],
      io.tableColumns(),
      io.outColors,
    ),
  );
}

function useContext({ io, env }: Context, name: string, options: Options): void {
  const contexts = readContexts(env);
  const place = contextNamed(contexts, name);
  const next = { ...contexts, current: name };
  writeContexts(env, next);
  if (options.json) return printJson(io, viewOf(name, next));
  io.err(`${name} is the current context: ${whereOf(place)}`);
}

function showContext({ io, env }: Context, given: string | undefined, options: Options): void {
  const contexts = readContexts(env);
  const name = given ?? contexts.current;
  if (name === null)
    throw new CliError(EXIT.notFound, 'There is no current context.', ['bullpen context list']);
  contextNamed(contexts, name);
  const view = viewOf(name, contexts);
  if (options.json) return printJson(io, view);
  const lines = [
    ['Context', `${name}${view.current ? ' (current)' : ''}`],
    ['Where', view.url ?? view.home ?? ''],
    ['Key', view.key],
    ['Stored in', contextsPath(env) ?? ''],
  ];
  io.out(lines.map(([title = '', text]) => `${title.padEnd(10)} ${text}`).join('\n'));
}

function removeContext({ io, env }: Context, name: string, options: Options): void {
  const contexts = readContexts(env);
  contextNamed(contexts, name);
  const { [name]: _gone, ...rest } = contexts.contexts;
  writeContexts(env, { current: contexts.current === name ? null : contexts.current, contexts: rest });
  if (options.json) return printJson(io, { name });
  io.err(`Removed ${name}`);
}

interface ContextView {
  readonly name: string;
  readonly current: boolean;
  readonly url?: string;
  readonly home?: string;
  /** Where the key is, never the key. */
  readonly key: 'stored' | 'none' | 'in the home folder';
}

function viewOf(name: string, contexts: Contexts): ContextView {
  const place = contextNamed(contexts, name);
  const common = { name, current: contexts.current === name };
  if ('home' in place) return { ...common, home: place.home, key: 'in the home folder' };
  return { ...common, url: place.url, key: place.key === null ? 'none' : 'stored' };
}

function whereOf(place: NamedPlace): string {
  return 'home' in place ? place.home : `${place.url}${place.key === null ? ', without a key' : ''}`;
}
