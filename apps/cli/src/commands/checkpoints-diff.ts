/** `bullpen checkpoints diff`: what differs between any two stored states of files. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context, type Options } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { diffText } from '../render/checkpoint-views.js';

interface Flags {
  readonly patch?: true;
}

/** Adds `checkpoints diff`. */
export function registerCheckpointsDiff(checkpoints: Command, context: Context): void {
  const command = checkpoints
    .command('diff')
    .description('what differs between two checkpoints, of one task or of two')
    .addArgument(new IdArgument('<from>', ['ckpt'], 'id of the checkpoint'))
    .addArgument(new IdArgument('[to]', ['ckpt'], 'another one; default: the newest of the same workspace'))
    .option('--patch', 'the lines, for git apply')
    .action((from: string, to: string | undefined, _, self: Command) =>
      showDifference(context, from, to, optionsOf<Flags>(self)),
    );
  withExamples(command, [
    ['bullpen checkpoints diff ckpt_…', 'what has changed since then'],
    ['bullpen checkpoints diff ckpt_…a ckpt_…b --patch', 'the lines between two'],
  ]);
}

/** Prints what differs between two checkpoints; without the second one, up to the newest. */
export async function showDifference(
  context: Context,
  from: string,
  to: string | undefined,
  options: Options<Flags>,
): Promise<void> {
  const { io } = context;
  const { checkpoints } = connect(context, options).client;
  if (options.patch) return io.outBytes(await checkpoints.comparePatch(from, to));
  const answer = await checkpoints.compare(from, to);
  if (options.json) return printJson(io, answer);
  if (answer.diffstat.files === 0) return io.err(io.errColors.dim('No file differs.'));
  io.out(diffText(answer.diffstat));
}
