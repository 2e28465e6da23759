/** `bullpen open`: a link that logs a browser in, once. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';

export function registerOpen(program: Command, context: Context): void {
  const command = program.command('open').action((_, self: Command) => open(context, self));
  withExamples(command, [['bullpen open', 'then open the link in your browser']]);
}

async function open(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const { io } = context;
  const link = await client.loginLinks.create();
  if (options.json) return printJson(io, link);
  io.err(io.errColors.dim('Works once, and not for long:'));
  io.out(link.url);
}
