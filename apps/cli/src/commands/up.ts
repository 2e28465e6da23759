/** `bullpen up`: the whole of Bullpen in one terminal. */
import type { Command } from 'commander';
import { relative } from 'node:path';
import { sandboxText } from '@bullpen/contracts';
import { collectStart, type UpSettings } from '@bullpen/platform';
import { optionsOf, type Context, type Options } from '../context.js';
import { Interrupted } from '../errors.js';
import { withExamples } from '../help.js';
import { plainText } from '../render/plain-text.js';
import { launch, readUpSettings } from '../stack/launch.js';
import { createNarrator } from '../stack/narrate.js';
import type { Stack, StackEvent } from '../stack/stack.js';
import type { UpFile } from '../stack/up-file.js';

interface UpOptions {
  readonly port?: string;
  readonly workers?: string;
}

export function registerUp(program: Command, context: Context): void {
  const command = program
    .command('up')
    .option('-p, --port <port>', 'port of the gateway; 0 takes a free one (PORT)')
    .option('-w, --workers <n>', 'worker processes (WORKERS)')
    .action((_, self: Command) => up(context, optionsOf<UpOptions>(self)));
  withExamples(command, [
    ['bullpen up', 'start; Ctrl-C stops everything in order'],
    ['ANTHROPIC_API_KEY=… bullpen up', 'with Claude instead of the simulator'],
    ['bullpen up --port 0 --workers 4 --json', 'a free port, four workers, one JSON line when ready'],
  ]);
}

async function up(context: Context, options: Options<UpOptions>): Promise<void> {
  const { io } = context;
  const settings = readUpSettings(context, options, {
    ...(options.port === undefined ? {} : { PORT: options.port }),
    ...(options.workers === undefined ? {} : { WORKERS: options.workers }),
  });
  const narrator = createNarrator(io.errColors);
  const onEvent = (event: StackEvent): void => {
    const line = narrator.tell(event, io.now(), io.columns());
    if (line !== null) io.err(line);
  };
  const starting = new AbortController();
  let stack: Stack | null = null;
  const ended = new Promise<void>((resolve, reject) => {
    context.onInterrupt((times) => {
      if (times === 1) io.err(io.errColors.dim('\n  Stopping; press Ctrl-C again to end at once.'));
      if (stack === null) starting.abort(new Interrupted('Stopped before it was ready.'));
      else (times === 1 ? stack.stop() : stack.kill()).then(resolve, reject);
    });
  });
  stack = await launch(context, { settings, anyPort: false, signal: starting.signal, onEvent });
  if (options.json) io.out(JSON.stringify(readyDocument(stack.info)));
  else io.out(banner(stack.info, settings, context));
  collectStart();
  await ended;
}

/** What `up --json` prints when it is ready: `up.json` without the database's password. */
export function readyDocument(info: UpFile): object {
  const { databaseUrl: _secret, ...rest } = info;
  return { ready: true, ...rest };
}

function banner(info: UpFile, settings: UpSettings, { cwd, command, io }: Context): string {
  const { outColors: c } = io;
  const url = settings.PUBLIC_URL ?? info.url;
  const home = shortPath(info.home, cwd);
  const model = info.simulated
    ? c.yellow('No ANTHROPIC_API_KEY: answers come from the local simulator')
    : `${settings.DEFAULT_MODEL}${settings.ANTHROPIC_BASE_URL ? ` at ${settings.ANTHROPIC_BASE_URL}` : ''}`;
  const rows: [string, string][] = [
    ['Dashboard', `${c.cyan(url)}  (log in: ${command} open)`],
    ['API docs', c.cyan(`${url}/docs`)],
    [
      'Data',
      `${home}, database: ${info.embedded ? 'embedded PostgreSQL' : 'DATABASE_URL'}, queue: ${info.queue}`,
    ],
    ['Logs', `${shortPath(info.logs, cwd)}/`],
    ['Model', model],
    ['Sandbox', info.sandbox === 'none' ? c.yellow(sandboxText(info.sandbox)) : sandboxText(info.sandbox)],
  ];
  const problems = info.leftOut.map((problem) => `    ${plainText(problem)}`);
  const next: [string, string][] = [
    ['npm run demo', 'agents survey this repository'],
    [`${command} run "What is this?" --dir .`, 'one task, live'],
    [`${command} tasks list`, 'what ran and what it cost'],
  ];
  const width = Math.max(...next.map(([line]) => line.length));
  return [
    '',
    `  ${c.bold(c.green('Bullpen is ready'))}`,
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(12)} ${text}`),
    ...(problems.length > 0 ? ['', `  ${c.yellow('Left out of the extensions:')}`, ...problems] : []),
    '',
    `  Try, in another terminal:`,
    ...next.map(([line, what]) => `    ${c.bold(line.padEnd(width))}  ${c.dim(what)}`),
    '',
  ].join('\n');
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}
