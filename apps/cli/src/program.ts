/** The command line as a whole: global options, all commands, and how a run of it ends. What only a command needs is loaded with it. */
import { Command, CommanderError, Help } from 'commander';
import { ALIASES, COMMANDS, COMPLETION } from './command-list.js';
import type { Context } from './context.js';
import { EXIT, EXIT_CODE_HELP, type ExitCode } from './exit-codes.js';
import { ID_HELP, PLACE_HELP, withExamples } from './help.js';

/** Runs one command line and gives its exit code. Never throws: an error is printed, for people or as JSON. */
export async function runProgram(args: readonly string[], context: Context): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = await buildProgram(args, { ...context, setExitCode: (next) => (code = next) });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed its own errors, and help is none.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { reportError } = await import('./report-error.js');
    return reportError(error, context, { ...program.opts(), json: args.includes('--json') });
  }
}

/** The program with the commands that these arguments can mean; nothing runs yet. */
async function buildProgram(args: readonly string[], context: Context): Promise<Command> {
  const { io } = context;
  const program = new Command('bullpen')
    .description('Runs fleets of long-running AI agents on your own machines.')
    .version(context.version, '-V, --version', 'print the version')
    .option('--json', 'machine-readable output: one document, or JSON Lines for streams')
    .option(
      '--url <url>',
      'address of the gateway (BULLPEN_URL); default: the one running in the home folder',
    )
    .option('--key-file <path>', 'file with the API key (or BULLPEN_API_KEY; default: <home>/key)')
    .option('--home <dir>', 'home folder (BULLPEN_HOME; default: .bullpen)')
    .option('--context <name>', 'a place from `bullpen context list` (BULLPEN_CONTEXT)')
    .option('--no-color', 'no colours (NO_COLOR)')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
    .configureOutput({
      // Commander brings its own line ends.
      writeOut: (text) => io.out(text.replace(/\n$/, '')),
      writeErr: (text) => io.err(text.replace(/\n$/, '')),
      getOutHelpWidth: () => io.columns(),
      getErrHelpWidth: () => io.columns(),
      outputError: (text, write) => write(text.replace(/^error:/, io.errColors.red('error:'))),
    })
    .exitOverride()
    .addHelpText('after', `\n${PLACE_HELP}\n\n${ID_HELP}\n\n${EXIT_CODE_HELP}`);
  withExamples(program, [
    ['bullpen up', 'start everything on this machine'],
    ['bullpen demo', 'see a tree of agents at work'],
    ['bullpen run "Explain this folder" --dir .', 'one task, live'],
    ['bullpen chat --dir .', 'talk to an agent'],
    ['bullpen inbox', 'what waits for you'],
  ]);
  program.hook('preAction', async (_, command) => {
    const { completeIds } = await import('./ids/id-parameters.js');
    await completeIds(context, command);
  });
  await addCommands(program, args, context);
  return program;
}

/**
 * Loads only the commands that are named anywhere in the arguments: those that start a stack bring the database's libraries, which take
 * a second to load. Of the others help and suggestions need no more than is listed.
 */
async function addCommands(program: Command, args: readonly string[], context: Context): Promise<void> {
  const words = new Set(args.map((word) => ALIASES[word] ?? word));
  // One after the other: Jest cannot link several modules at once, and nobody gains by it.
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    if (words.has(name) || words.has(COMPLETION)) await (await load())(program, context, words);
    else program.command(name).aliases(aliasesOf(name));
    program.commands.at(-1)?.description(summary);
  }
}

function aliasesOf(name: string): string[] {
  return Object.keys(ALIASES).filter((alias) => ALIASES[alias] === name);
}

/** How help lists a command; those of the program may not be loaded. */
function termOf(command: Command): string {
  const listed = command.parent?.parent === null ? COMMANDS[command.name()] : undefined;
  if (listed === undefined) return Help.prototype.subcommandTerm.call(new Help(), command);
  return [[command.name(), ...command.aliases()].join('|'), listed.usage]
    .filter((part) => part !== '')
    .join(' ');
}
