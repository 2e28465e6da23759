/** What `run` and `submit` have in common: the words and flags that become a task. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  ApprovalLevel,
  Autonomy,
  AUTONOMY_CHOICES,
  faultOfGitUrl,
  faultOfHost,
  type CreateTaskInput,
  type Json,
} from '@bullpen/contracts';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { givenAgentFiles } from '../agents/workspace-agents.js';
import type { Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { IdOption } from '../ids/id-parameters.js';
import type { AttachFlags } from './attachments.js';
import { contextItemsOf, type ContextFlags } from './context-items.js';
import { parseDeadline, parseSpan, parseTime } from './parse-times.js';
import { fromStdin, readJson } from './read-arguments.js';
import { wayOf, withWayFlags, type WayFlags } from './way-flags.js';

/** The groups of tools that can be allowed beyond reading, by the words of `--allow`. */
const ALLOWANCES = {
  write: 'alwaysAllowWrite',
  execute: 'alwaysAllowExecute',
  subtasks: 'alwaysAllowSubtasks',
  todos: 'alwaysAllowUpdateTodoList',
} as const;
type Allowance = keyof typeof ALLOWANCES;

export interface LimitFlags {
  readonly budget?: string;
  readonly turns?: number;
  readonly tokens?: number;
}

export interface TaskFlags extends LimitFlags, ContextFlags, WayFlags, AttachFlags {
  readonly agent?: string;
  readonly model?: string;
  readonly profile?: string;
  readonly dir?: string;
  readonly inPlace?: boolean;
  readonly git?: string;
  readonly ref?: string;
  readonly setup?: string;
  readonly fork?: string;
  readonly allow?: readonly Allowance[];
  readonly allowHost?: readonly string[];
  readonly autonomy?: Autonomy;
  readonly level?: ApprovalLevel;
  readonly ask?: 'wait' | 'deny';
  readonly askTimeout?: number;
  readonly input?: string;
  readonly outputSchema?: string;
  readonly tag?: readonly string[];
  readonly title?: string;
  readonly keepBodies?: boolean;
  readonly priority?: number;
  readonly runAt?: string;
  readonly deadline?: string;
  readonly attempts?: number;
}

/** Adds the flags that describe a task to a command. */
export function withTaskFlags(command: Command): Command {
  withLimitFlags(command, {
    budget: 'cost limit of the task and its subtasks, like 2.50, or none',
    turns: 'turn limit of the task',
    tokens: 'token limit of the task',
  });
  const described = command
    .argument('[prompt]', 'what the agent should do; - reads it from stdin')
    .option('-a, --agent <name>', 'agent to use (see: bullpen agents)')
    .option('-m, --model <name>', "model to use instead of the agent's own")
    .option('--profile <name>', 'model profile to use instead; `bullpen models` lists them')
    .option('-d, --dir <dir>', 'folder to work on; the agent gets a copy of it')
    .option('--in-place', 'work in --dir itself, not on a copy')
    .option('--git <url>', 'repository to work on; the agent gets a clone of it')
    .option('--ref <ref>', 'branch, tag or commit of --git to begin with')
    .option('--setup <command>', 'command that prepares the workspace before the agent begins, like "npm ci"')
    .addOption(new IdOption('--fork <checkpoint>', ['ckpt'], 'begin with the files of a checkpoint'))
    .option('--allow <what>', 'what needs no approval: write,execute,subtasks,todos', parseAllowances)
    .option(
      '--allow-host <host>',
      'host that sandboxed commands may reach, like registry.npmjs.org; may be given several times',
      collectHost,
    )
    .addOption(
      new Option('--autonomy <autonomy>', `how it works with you: ${AUTONOMY_CHOICES}`).choices(
        Autonomy.options,
      ),
    )
    .addOption(
      new Option('--level <level>', 'what needs no approval, as a preset; --allow adds to it').choices(
        ApprovalLevel.options,
      ),
    )
    .addOption(
      new Option('--ask <how>', 'in the background: wait for a person, or deny what it would ask').choices([
        'wait',
        'deny',
      ]),
    )
    .option('--ask-timeout <span>', 'how long a request stays open for you, like 30m or 2h', parseSpan)
    .option(
      '--file <path>',
      'file of the workspace that the agent reads first; may be given several times',
      collect,
    )
    .option('--folder <path>', 'the same for all files of a folder', collect)
    .option(
      '--text <text>',
      'the same for a text: the text itself, @file of this machine, or - for stdin',
      collect,
    )
    .option('--url <url>', 'the same for the text of a page', collect)
    .option(
      '--attach <file>',
      'picture (PNG, JPEG, GIF, WebP), PDF or text of this machine that goes along; may be given several times',
      collect,
    )
    .option('--keep-bodies', 'keep what its model calls send and get, masked, for some days')
    .option('-i, --input <json>', 'typed input: JSON, @file, or - for stdin')
    .option('--output-schema <file>', 'JSON Schema that the output must match: @file or JSON')
    .option('--tag <tag>', 'tag; may be given several times', collect)
    .option('--title <text>', 'title; default: the start of the prompt')
    .option('--priority <n>', 'head start over other queued tasks, in seconds (-100 to 100)', parsePriority)
    .option('--run-at <time>', 'not before this time; like 2h, 30m, or a time', parseTime)
    .option(
      '--deadline <time>',
      'end it at this time, finished or not; like 2h, 30m, or a time',
      parseDeadline,
    )
    .option('--attempts <n>', 'attempts when the model keeps failing', parsePositive);
  return withWayFlags(described);
}

/** What limits mean for a task that has run before. */
export const LIMITS_AGAIN = {
  budget: 'new cost limit of the task and its subtasks, including what they have cost; or none',
  turns: 'new turn limit, including earlier attempts',
  tokens: 'new token limit, including earlier attempts',
};

/** Adds the flags that `limitsOf` reads. */
export function withLimitFlags(
  command: Command,
  { budget, turns, tokens }: Readonly<Record<keyof LimitFlags, string>>,
): Command {
  return command
    .option('-b, --budget <usd>', budget, parseBudget)
    .option('-t, --turns <n>', turns, parsePositive)
    .option('--tokens <n>', tokens, parsePositive);
}

/** The body of the request. Reads stdin and files that the flags name; throws with exit code 2 for what can't be used. */
export async function taskBody(
  context: Context,
  prompt: string | undefined,
  flags: TaskFlags,
): Promise<CreateTaskInput> {
  if ([prompt, flags.input, ...(flags.text ?? [])].filter((given) => given === '-').length > 1)
    throw usage('Only one of the prompt, --input and --text can come from stdin.');
  const words = prompt === '-' ? await fromStdin(context, 'the prompt') : prompt;
  const input = flags.input === undefined ? undefined : await readJson(context, flags.input, '--input');
  if (!words?.trim() && input === undefined)
    throw usage('Say what the agent should do.', [
      'bullpen run "Summarise the README" --dir .',
      'or give typed input: --input @file.json',
    ]);
  return {
    ...(words?.trim() ? { prompt: words } : {}),
    ...(input === undefined ? {} : { input }),
    ...defined({
      agent: flags.agent,
      model: flags.model,
      profile: flags.profile,
      title: flags.title,
      keepBodies: flags.keepBodies,
      priority: flags.priority,
    }),
    ...workspaceIn(context, flags),
    ...(flags.allow === undefined ? {} : { approvals: approvalsOf(flags.allow) }),
    ...(flags.allowHost === undefined ? {} : { rules: { network: { allow: [...flags.allowHost] } } }),
    ...peopleOf(flags),
    ...limitsOf(flags),
    ...defined({ runAt: flags.runAt, deadlineAt: flags.deadline }),
    ...(flags.attempts === undefined ? {} : { retry: { taskAttempts: flags.attempts } }),
    ...wayOf(flags),
    ...(flags.outputSchema === undefined
      ? {}
      : { outputSchema: await readSchema(context, flags.outputSchema) }),
    ...(await contextItemsOf(context, flags)),
    ...(await givenAgentFiles(context, flags.dir)),
    tags: [...(flags.tag ?? [])],
  };
}

function workspaceIn(context: Context, flags: TaskFlags): Pick<CreateTaskInput, 'workspace'> {
  const { dir, git, ref, fork, inPlace = false } = flags;
  const setup = defined({ setup: flags.setup });
  if (inPlace && dir === undefined) throw usage('--in-place needs a folder: give it with --dir.');
  if (ref !== undefined && git === undefined) throw usage('--ref needs a repository: give it with --git.');
  if ([dir, git, fork].filter((given) => given !== undefined).length > 1)
    throw usage('Give one of --dir, --git and --fork.');
  if (fork !== undefined) return { workspace: { kind: 'fork', checkpointId: fork, ...setup } };
  if (dir !== undefined) return { workspace: { ...workspaceOf(context, dir, inPlace), ...setup } };
  if (git === undefined) return flags.setup === undefined ? {} : { workspace: { kind: 'empty', ...setup } };
  // Not as Commander says it, which repeats the value: it may hold a password.
  const fault = faultOfGitUrl(git);
  if (fault !== null) throw usage(`--git: ${fault}`);
  return { workspace: { kind: 'git', url: git, ...defined({ ref }), ...setup } };
}

/** The workspace on a folder of this machine. Throws with exit code 2 for what is no folder. */
export function workspaceOf(
  context: Context,
  dir: string,
  inPlace: boolean,
): NonNullable<CreateTaskInput['workspace']> {
  const path = resolve(context.cwd, dir);
  // The gateway may be on another machine with other folders; here we can only warn of what is wrong on this one.
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw usage(`--dir: ${path} is not a folder`);
  if (found === undefined && context.env['BULLPEN_URL'] === undefined)
    throw usage(`--dir: there is no folder ${path}`);
  return { kind: 'path', path, copy: !inPlace };
}

function approvalsOf(allow: readonly Allowance[]): NonNullable<CreateTaskInput['approvals']> {
  return Object.fromEntries(allow.map((word) => [ALLOWANCES[word], true]));
}

/** How the task works with people. */
function peopleOf({ autonomy, level, ask, askTimeout }: TaskFlags): Partial<CreateTaskInput> {
  const asks = defined({ inBackground: ask, expiresAfterMs: askTimeout });
  return {
    ...defined({ autonomy, approvalLevel: level }),
    ...(Object.keys(asks).length === 0 ? {} : { asks }),
  };
}

/** The limits that flags name. */
export function limitsOf({ budget, turns, tokens }: LimitFlags): Pick<CreateTaskInput, 'limits'> {
  const cost = budget === undefined ? {} : { costUsd: costLimitOf(budget) };
  const limits = { ...cost, ...defined({ turns, tokens }) };
  return Object.keys(limits).length === 0 ? {} : { limits };
}

async function readSchema(context: Context, text: string): Promise<Record<string, Json>> {
  // A bare path is what people type first.
  const source = /^[@{[]|^-$/.test(text) ? text : `@${text}`;
  const value = await readJson(context, source, '--output-schema');
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  throw usage('--output-schema must be a JSON Schema object');
}

function parseAllowances(text: string): Allowance[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !(word in ALLOWANCES));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`"${unknown}" is not one of ${Object.keys(ALLOWANCES).join(', ')}.`);
  return words as Allowance[];
}

function collectHost(value: string, before: readonly string[] = []): string[] {
  const host = value.trim().toLowerCase();
  const fault = faultOfHost(host);
  if (fault !== null) throw new InvalidArgumentError(`It cannot be opened: ${fault}.`);
  return [...before, host];
}

/** A cost limit, for flags: an amount, or `none` (Commander takes a null for no value at all). */
export function parseBudget(text: string): string {
  return text.trim().toLowerCase() === 'none' ? 'none' : parseUsd(text);
}

/** The same as the API has it. */
export function costLimitOf(budget: string): string | null {
  return budget === 'none' ? null : budget;
}

/** `2.5`, `$2.50` and `2.50 usd` as a decimal number. Throws what commander reports for an option. */
export function parseUsd(text: string): string {
  const amount = text.replace(/^\$/, '').replace(/usd$/i, '').trim();
  if (/^\d{1,9}(\.\d{1,9})?$/.test(amount)) return amount;
  throw new InvalidArgumentError('It must be US dollars as a decimal number, like 2.50.');
}

/** A priority, for flags. */
export function parsePriority(text: string): number {
  if (/^-?\d{1,3}$/.test(text) && Math.abs(Number(text)) <= 100) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from -100 to 100.');
}

/** A whole number of at least 1, for flags. */
export function parsePositive(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

/** Gathers the values of a flag that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

function usage(message: string, nextActions: readonly string[] = []): CliError {
  return new CliError(EXIT.usage, message, nextActions);
}
