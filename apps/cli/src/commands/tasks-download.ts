/** `bullpen tasks download`: the files of a task as an archive. */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { connect, optionsOf, type Context, type Options } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument, IdOption } from '../ids/id-parameters.js';

interface Flags {
  readonly to?: string;
  readonly at?: string;
}

/** Adds `tasks download`. */
export function registerTasksDownload(tasks: Command, context: Context): void {
  const command = tasks
    .command('download')
    .description('the files of a task, as a .tar.gz')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .option('--to <file>', 'where to put it; - for stdout; default: <id>.tar.gz, here')
    .addOption(
      new IdOption('--at <checkpoint>', ['ckpt'], 'as they were at this checkpoint, not as they are'),
    )
    .action((id: string, _, self: Command) => download(context, id, optionsOf<Flags>(self)));
  withExamples(command, [
    ['bullpen tasks download task_…', 'into a file of that name'],
    ['bullpen tasks download task_… --to - | tar -xz -C DIR', 'unpacked at once'],
  ]);
}

async function download(context: Context, id: string, options: Options<Flags>): Promise<void> {
  const { io } = context;
  const { checkpoints } = connect(context, options).client;
  const { to, at } = options;
  const open = (): Promise<ReadableStream<Uint8Array>> =>
    at === undefined ? checkpoints.archiveOfTask(id) : checkpoints.archive(at);
  if (to === '-') return io.outBytes(await open());
  const file = resolve(context.cwd, to ?? `${id}.tar.gz`);
  if (await exists(file))
    throw new CliError(EXIT.usage, `${file} is there already: give another place with --to.`);
  await put(await open(), file);
  io.err(`${file}  Unpack it: tar -xzf ${file}`);
}

/** It appears whole or not at all. */
async function put(archive: ReadableStream<Uint8Array>, file: string): Promise<void> {
  const part = `${file}.part-${process.pid}`;
  try {
    await pipeline(archive, createWriteStream(part, { flags: 'wx', mode: 0o600 }));
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
