/** `bullpen chat`: a conversation with an agent in the terminal. */
import { ApprovalLevel, Autonomy, AUTONOMY_CHOICES, type TaskView } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { givenAgentFiles } from '../agents/workspace-agents.js';
import { converse } from '../chat/converse.js';
import { inputHistory } from '../chat/history-file.js';
import { findHome } from '../place.js';
import { connect, optionsOf, PATIENT_RETRIES, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdOption } from '../ids/id-parameters.js';
import { NeedsPeople } from '../live/needs-people.js';
import { waitingLines } from '../render/inbox-table.js';
import { refusalLines } from '../render/provider-wait.js';
import { costLimitOf, parseBudget, workspaceOf } from './task-input.js';

interface ChatFlags {
  readonly autonomy?: Autonomy;
  readonly dir?: string;
  readonly inPlace?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly level?: ApprovalLevel;
  readonly budget?: string;
  readonly resume?: string;
}

export function registerChat(program: Command, context: Context): void {
  const command = program
    .command('chat')
    .addOption(
      new Option('--autonomy <autonomy>', `${AUTONOMY_CHOICES}; agent unless given`).choices(
        Autonomy.options,
      ),
    )
    .option('-d, --dir <dir>', 'folder to talk about; the agent gets a copy of it')
    .option('--in-place', 'work in --dir itself, not on a copy')
    .option('-a, --agent <name>', 'agent to talk to (see: bullpen agents)')
    .option('-m, --model <name>', "model to use instead of the agent's own")
    .addOption(new Option('--level <level>', 'what needs no approval').choices(ApprovalLevel.options))
    .option('-b, --budget <usd>', 'cost limit of the conversation, like 2.50, or none', parseBudget)
    .addOption(new IdOption('--resume <task>', ['task'], 'continue an earlier conversation'))
    .action((_, self: Command) => chat(context, self));
  withExamples(command, [
    ['bullpen chat --dir .', 'about a copy of this folder'],
    ['bullpen chat --autonomy plan -d . --in-place', 'plan together, then let it work'],
    ['bullpen chat --resume task_…', 'where you left off'],
    ['bullpen chat < questions.txt', 'one message per line, answers on stdout'],
  ]);
  command.addHelpText('after', '\nIn the chat, /help lists the commands. Ctrl-C interrupts an answer.');
}

async function chat(context: Context, self: Command): Promise<void> {
  const options = optionsOf<ChatFlags>(self);
  const { io } = context;
  const connection = connect(context, options, PATIENT_RETRIES);
  const resume =
    options.resume === undefined ? null : await earlier(connection.client.tasks, options.resume, options);
  if (io.terminal !== null)
    io.err(io.errColors.dim('Type a message; /help lists the commands, /quit leaves.'));
  try {
    const { session } = await converse({
      context,
      connection,
      body: { ...bodyOf(context, options), ...(await givenAgentFiles(context, options.dir)) },
      autonomy: resume?.autonomy ?? options.autonomy ?? 'agent',
      resume,
      history: inputHistory(findHome(options, context.env, context.cwd)),
      json: options.json === true,
    });
    if (session !== null) io.err(io.errColors.dim(`Continue it: bullpen chat --resume ${session.taskId}`));
  } catch (error) {
    if (!(error instanceof NeedsPeople)) throw error;
    context.setExitCode(EXIT.needsInput);
    const { interactions, waitsForKey } = error;
    const key = waitsForKey === null ? [] : refusalLines(waitsForKey, io.errColors);
    io.err([...key, ...waitingLines(interactions, io.errColors)].join('\n'));
    io.err(`${io.errColors.cyan('next:')} then continue: bullpen chat --resume ${error.task.id}`);
  }
}

function bodyOf(context: Context, flags: ChatFlags) {
  const { agent, model, level, budget, dir, inPlace = false } = flags;
  if (inPlace && dir === undefined)
    throw new CliError(EXIT.usage, '--in-place needs a folder: give it with --dir.');
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(level === undefined ? {} : { approvalLevel: level }),
    ...(budget === undefined ? {} : { limits: { costUsd: costLimitOf(budget) } }),
    ...(dir === undefined ? {} : { workspace: workspaceOf(context, dir, inPlace) }),
    tags: ['chat'],
  };
}

/** The earlier conversation; flags that only count at a beginning are refused. */
async function earlier(
  tasks: { get(id: string): Promise<TaskView>; switchAutonomy(id: string, to: Autonomy): Promise<TaskView> },
  id: string,
  { autonomy, ...flags }: ChatFlags,
): Promise<TaskView> {
  const fixed = (['dir', 'inPlace', 'agent', 'model', 'level', 'budget'] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (fixed !== undefined)
    throw new CliError(
      EXIT.usage,
      `--${fixed === 'inPlace' ? 'in-place' : fixed} cannot be changed in a conversation.`,
    );
  const task = await tasks.get(id);
  return autonomy === undefined || autonomy === task.autonomy ? task : tasks.switchAutonomy(id, autonomy);
}
