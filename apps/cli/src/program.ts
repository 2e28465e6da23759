/** The command line as a whole: global options, all commands, and how a run of it ends. */
import { Command, CommanderError } from 'commander';
import { registerAgents } from './commands/agents.js';
import { registerCancel } from './commands/cancel.js';
import { registerCompletion } from './commands/completion.js';
import { registerDemo } from './commands/demo.js';
import { registerDoctor } from './commands/doctor.js';
import { registerMessage } from './commands/message.js';
import { registerMigrate } from './commands/migrate.js';
import { registerOpen } from './commands/open.js';
import { registerRun } from './commands/run.js';
import { registerSubmit } from './commands/submit.js';
import { registerTasks } from './commands/tasks.js';
import { registerUp } from './commands/up.js';
import { registerUsage } from './commands/usage.js';
import type { Context } from './context.js';
import { errorDocument, exitCodeOf, renderError } from './errors.js';
import { EXIT, EXIT_CODE_HELP, type ExitCode } from './exit-codes.js';
import { withExamples } from './help.js';

/** In the order in which help lists them. */
const COMMANDS = [
  registerUp,
  registerDemo,
  registerRun,
  registerSubmit,
  registerTasks,
  registerCancel,
  registerMessage,
  registerUsage,
  registerAgents,
  registerOpen,
  registerDoctor,
  registerMigrate,
  registerCompletion,
];

/** Runs one command line and gives its exit code. Never throws: an error is printed, for people or as JSON. */
export async function runProgram(args: readonly string[], context: Context): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = buildProgram({ ...context, setExitCode: (next) => (code = next) });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed its own errors, and help is none.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    reportError(error, args.includes('--json'), context);
    return exitCodeOf(error);
  }
}

/** The program with all its commands; nothing runs yet. */
export function buildProgram(context: Context): Command {
  const { io } = context;
  const program = new Command('bullpen')
    .description('Runs fleets of long-running AI agents on your own machines.')
    .version(context.version, '-V, --version', 'print the version')
    .option('--json', 'machine-readable output: one document, or JSON Lines for streams')
    .option(
      '--url <url>',
      'address of the gateway (BULLPEN_URL); default: the one that runs at the home folder',
    )
    .option('--key-file <path>', 'file with the API key (or BULLPEN_API_KEY; default: <home>/key)')
    .option('--home <dir>', 'home folder (BULLPEN_HOME; default: .bullpen)')
    .option('--no-color', 'no colours (NO_COLOR)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      getOutHelpWidth: () => io.columns(),
      getErrHelpWidth: () => io.columns(),
      outputError: (text, write) => write(text.replace(/^error:/, io.errColors.red('error:'))),
    })
    .exitOverride()
    .addHelpText('after', `\n${EXIT_CODE_HELP}`);
  withExamples(program, [
    ['bullpen up', 'start everything on this machine'],
    ['bullpen demo', 'see a tree of agents at work'],
    ['bullpen run "Explain this folder" --dir .', 'one task, live'],
  ]);
  for (const register of COMMANDS) register(program, context);
  return program;
}

function reportError(error: unknown, json: boolean, { io }: Context): void {
  if (json) io.out(JSON.stringify(errorDocument(error), null, 2));
  else io.err(renderError(error, io.errColors));
}
