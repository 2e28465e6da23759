/** The command line as a whole: global options, all commands, and how a run of it ends. */
import { Command, CommanderError } from 'commander';
import type { GlobalOptions } from './config.js';
import type { Context } from './context.js';
import { findEndpoint } from './endpoint.js';
import { errorDocument, exitCodeOf, renderError } from './errors.js';
import { EXIT, EXIT_CODE_HELP, type ExitCode } from './exit-codes.js';
import { PLACE_HELP, withExamples } from './help.js';
import { completeIds, ID_HELP } from './ids/id-parameters.js';
import { tellKey } from './refused-key.js';

type Register = (program: Command, context: Context) => void;

/** In the order in which help lists them. */
const COMMANDS: Record<string, () => Promise<Register>> = {
  up: async () => (await import('./commands/up.js')).registerUp,
  demo: async () => (await import('./commands/demo.js')).registerDemo,
  run: async () => (await import('./commands/run.js')).registerRun,
  submit: async () => (await import('./commands/submit.js')).registerSubmit,
  chat: async () => (await import('./commands/chat.js')).registerChat,
  inbox: async () => (await import('./commands/inbox.js')).registerInbox,
  approve: async () => (await import('./commands/approve.js')).registerApprove,
  deny: async () => (await import('./commands/deny.js')).registerDeny,
  answer: async () => (await import('./commands/answer.js')).registerAnswer,
  mode: async () => (await import('./commands/mode.js')).registerMode,
  tasks: async () => (await import('./commands/tasks.js')).registerTasks,
  cancel: async () => (await import('./commands/cancel.js')).registerCancel,
  pause: async () => (await import('./commands/pause.js')).registerPause,
  resume: async () => (await import('./commands/resume.js')).registerResume,
  interrupt: async () => (await import('./commands/interrupt.js')).registerInterrupt,
  retry: async () => (await import('./commands/retry.js')).registerRetry,
  failures: async () => (await import('./commands/failures.js')).registerFailures,
  message: async () => (await import('./commands/message.js')).registerMessage,
  messages: async () => (await import('./commands/messages.js')).registerMessages,
  rewind: async () => (await import('./commands/rewind.js')).registerRewind,
  set: async () => (await import('./commands/set.js')).registerSet,
  usage: async () => (await import('./commands/usage.js')).registerUsage,
  providers: async () => (await import('./commands/providers.js')).registerProviders,
  policy: async () => (await import('./commands/policy.js')).registerPolicy,
  tenants: async () => (await import('./commands/tenants.js')).registerTenants,
  webhooks: async () => (await import('./commands/webhooks.js')).registerWebhooks,
  context: async () => (await import('./commands/context.js')).registerContext,
  agents: async () => (await import('./commands/agents.js')).registerAgents,
  open: async () => (await import('./commands/open.js')).registerOpen,
  doctor: async () => (await import('./commands/doctor.js')).registerDoctor,
  migrate: async () => (await import('./commands/migrate.js')).registerMigrate,
  prune: async () => (await import('./commands/prune.js')).registerPrune,
  completion: async () => (await import('./commands/completion.js')).registerCompletion,
};
/** Needs to know all others. */
const COMPLETION = 'completion';
const ALIASES: Record<string, string> = { task: 'tasks', send: 'message' };

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
    const told = tellKey(error, () => findEndpoint(program.opts<GlobalOptions>(), context.env, context.cwd));
    reportError(told, args.includes('--json'), context);
    return exitCodeOf(told);
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
    .configureHelp({ showGlobalOptions: true })
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
  program.hook('preAction', (_, command) => completeIds(context, command));
  for (const register of await loadCommands(args)) register(program, context);
  return program;
}

/**
 * Loads only the commands that are named anywhere in the arguments: those that start a stack bring the database's libraries,
 * which take a second to load. All of them when none is named, for help and for what is misspelt.
 */
async function loadCommands(args: readonly string[]): Promise<Register[]> {
  const words = new Set(args.map((word) => ALIASES[word] ?? word));
  const named = Object.keys(COMMANDS).filter((name) => words.has(name));
  const needed = named.length === 0 || words.has(COMPLETION) ? Object.keys(COMMANDS) : named;
  const loaded: Register[] = [];
  // One after the other: Jest cannot link several modules at once, and nobody gains by it.
  for (const name of needed)
    loaded.push(...[await COMMANDS[name]?.()].filter((register) => register !== undefined));
  return loaded;
}

function reportError(error: unknown, json: boolean, { io }: Context): void {
  if (json) io.out(JSON.stringify(errorDocument(error), null, 2));
  else io.err(renderError(error, io.errColors));
}
