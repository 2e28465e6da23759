/** `bullpen policy test`: the verdict on command lines, on this machine and without a server. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { explainVerdict, policyForTrial, textOnly, tryCommand } from '@bullpen/command-policy';
import { errorText, PolicyTestSettings, type CommandVerdictView } from '@bullpen/contracts';
import type { EffectivePolicy } from '@bullpen/core';
import { commandFacts } from '@bullpen/workspace';
import { Option, type Command } from 'commander';
import { optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { hasSandbox } from './sandbox-here.js';

interface TestFlags {
  readonly stdin?: boolean;
  readonly settings?: string;
  readonly workspace?: string;
  readonly boxed?: 'yes' | 'no';
}

/** 0: it would run; 4: it waits for a person; 6: it is refused. */
const EXIT_OF: Readonly<Record<CommandVerdictView['decision'], ExitCode>> = {
  approve: EXIT.ok,
  ask: EXIT.needsInput,
  deny: EXIT.notAllowed,
};

export function registerPolicyTest(policy: Command, context: Context): void {
  const test = policy
    .command('test')
    .description(
      'what the policy says about a command line: exit code 0 it runs, 4 you are asked, 6 it is refused',
    )
    .argument('[command]', 'the line, in quotes')
    .option('--stdin', 'read lines from stdin, each a JSON string; print one verdict per line, exit code 0')
    .option(
      '--settings <file>',
      'JSON with approvals and rules, as in a layer; default: commands allowed, no lists',
    )
    .option(
      '--workspace <folder>',
      'judge as a worker would for a task in this folder, with its files and PATH; default: by text alone',
    )
    .addOption(
      new Option(
        '--boxed <answer>',
        'judge for commands in a sandbox, or for commands without one; default: what this machine has',
      ).choices(['yes', 'no']),
    )
    .action((command: string | undefined, _, self: Command) => run(context, command, self));
  withExamples(test, [
    ['bullpen policy test "npm test && rm -rf dist"', 'the verdict, in all and for each command'],
    ['bullpen policy test "cat *.md" --workspace .', 'with the files of this folder'],
    ['bullpen policy test "npm ci && npm test" --boxed yes', 'as in a sandbox'],
    ['bullpen policy test --stdin --json < lines.jsonl', 'one JSON document per line'],
  ]);
}

async function run(context: Context, command: string | undefined, self: Command): Promise<void> {
  const options = optionsOf<TestFlags>(self);
  const policy = policyForTrial(settingsFrom(context, options.settings));
  const boxed = options.boxed === undefined ? await hasSandbox(context.env) : options.boxed === 'yes';
  const judge = judgeIn(context, options.workspace, policy, boxed);
  if ((command === undefined) === (options.stdin !== true))
    throw new CliError(EXIT.usage, 'Give a command line, or --stdin.');
  if (command === undefined) {
    for (const line of linesOf(await context.io.readStdin())) {
      const verdict = judge(line);
      context.io.out(options.json ? compact(verdict) : `${explainVerdict(verdict)}  ${JSON.stringify(line)}`);
    }
    return;
  }
  const verdict = judge(command);
  context.setExitCode(EXIT_OF[verdict.decision]);
  if (options.json) return printJson(context.io, verdict);
  context.io.out(explainVerdict(verdict));
  if (verdict.parts.length < 2) return;
  for (const part of verdict.parts)
    context.io.out(`  ${explainVerdict({ ...part, span: null, parts: [] })}  ${JSON.stringify(part.text)}`);
}

/** Each line is judged by the files as they are then. */
function judgeIn(
  { cwd, env }: Context,
  folder: string | undefined,
  policy: EffectivePolicy,
  boxed: boolean,
): (line: string) => CommandVerdictView {
  if (folder === undefined) return (line) => tryCommand(line, policy, textOnly(boxed));
  const workspace = resolve(cwd, folder);
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(EXIT.usage, `--workspace: ${folder} is no folder.`);
  const searchPath = env['PATH'] ?? DEFAULT_PATH;
  return (line) =>
    tryCommand(line, policy, ({ files, openedHosts }) =>
      commandFacts(workspace, { cwd: '.', searchPath, files, boxed, openedHosts }),
    );
}

/** Where programs are looked for without a PATH, as by a worker. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

function compact({ command, decision, reason, rule, span }: CommandVerdictView): string {
  return JSON.stringify({ command, decision, reason, rule, span });
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const value = parsed(line);
    if (typeof value === 'string') return [value];
    throw new CliError(EXIT.usage, `Line ${at + 1} of stdin is not a JSON string: ${line.slice(0, 80)}`);
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Said by the caller, with the line's number.
    return undefined;
  }
}

function settingsFrom({ cwd }: Context, file: string | undefined): PolicyTestSettings {
  if (file === undefined) return PolicyTestSettings.parse({});
  return readJsonFile(cwd, file, '--settings', PolicyTestSettings);
}

/** A file's JSON by its schema; what is wrong with it is told as misuse. */
export function readJsonFile<T>(
  cwd: string,
  file: string,
  flag: string,
  schema: { parse(value: unknown): T },
): T {
  try {
    return schema.parse(JSON.parse(readFileSync(resolve(cwd, file), 'utf8')));
  } catch (error) {
    const why = errorText(error);
    throw new CliError(EXIT.usage, `${flag}: ${file} cannot be used: ${why}`, [], { cause: error });
  }
}
