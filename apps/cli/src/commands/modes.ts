/** `bullpen modes …`: the kinds of work, what leads from one to the next, and which of them a text asks for. */
import { suggestMode } from '@bullpen/core';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { named } from './named.js';
import { modeDetails, modeTable, suggestionLine } from '../render/mode-views.js';

/** Adds the commands of the work modes. */
export function registerModes(program: Command, context: Context): void {
  const modes = program.command('modes');
  withExamples(modes, [
    ['bullpen modes', 'all modes and what they are for'],
    ['bullpen modes show debug', 'its rules and what an agent is told in it'],
    ['bullpen modes suggest "where is the login code?"', 'the mode that a text asks for'],
  ]);
  modes
    .command('list', { isDefault: true })
    .alias('ls')
    .description('all modes: names, what they are for, and where they lead')
    .action((_, self: Command) => list(context, self));
  modes
    .command('show')
    .description('everything about one mode: tools, rules, what an agent is told')
    .argument('<name>', 'name of the mode')
    .action((name: string, _, self: Command) => show(context, name, self));
  const suggest = modes
    .command('suggest')
    .description('which mode a text asks for, by rules and without a server; exit code 4 when it is not sure')
    .argument('[text]', 'what somebody wrote, in quotes')
    .option(
      '--stdin',
      'read texts from stdin, each a line or a JSON string; print one answer per line, exit code 0',
    )
    .option('--current <mode>', 'the mode that a task is in: "go on" means it')
    .action((text: string | undefined, _, self: Command) => suggestFor(context, text, self));
  withExamples(suggest, [
    ['bullpen modes suggest "리뷰해줘"', 'the mode, how sure, and which words led to it'],
    ['bullpen modes suggest --stdin --json < prompts.jsonl', 'one JSON document per line'],
  ]);
}

async function list(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const data = await connect(context, options).client.modes.list();
  if (options.json) printJson(io, { data });
  else io.out(modeTable(data, io.tableColumns(), io.outColors));
}

async function show(context: Context, name: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const mode = named('mode', await connect(context, options).client.modes.list(), name);
  if (options.json) printJson(io, mode);
  else io.out(modeDetails(mode, { width: io.columns(), colors: io.outColors }).join('\n'));
}

async function suggestFor(context: Context, text: string | undefined, self: Command): Promise<void> {
  const { stdin, current, ...options } = optionsOf<{ readonly stdin?: boolean; readonly current?: string }>(
    self,
  );
  const { io } = context;
  if ((text === undefined) === (stdin !== true)) throw new CliError(EXIT.usage, 'Give a text, or --stdin.');
  if (text !== undefined) {
    const suggestion = suggestMode(text, { current });
    context.setExitCode(suggestion.isSure ? EXIT.ok : EXIT.needsInput);
    if (options.json) printJson(io, suggestion);
    else io.out(suggestionLine(suggestion));
    return;
  }
  for (const line of (await io.readStdin()).split('\n').filter((line) => line.trim() !== '')) {
    const suggestion = suggestMode(textOf(line), { current });
    io.out(options.json ? JSON.stringify(suggestion) : `${suggestionLine(suggestion)}  ${line}`);
  }
}

/** A JSON string, so that a text of several lines fits on one; any other line is the text itself. */
function textOf(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : line;
  } catch {
    return line;
  }
}
