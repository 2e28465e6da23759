/** `bullpen agents …`: who can be asked to do something. */
import type { Command } from 'commander';
import type { AgentView } from '@bullpen/contracts';
import { under, USUAL_AGENT } from '@bullpen/core';
import { agentsOfFolder } from '../agents/workspace-agents.js';
import type { GlobalOptions } from '../config.js';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { named } from './named.js';
import { plural } from '../render/format.js';
import { agentDetails, agentTable } from '../render/agent-views.js';

export function registerAgents(program: Command, context: Context): void {
  const agents = program.command('agents');
  withExamples(agents, [
    ['bullpen agents', 'names, models and what they are for'],
    ['bullpen agents show explorer', 'its tools, limits, approvals and system prompt'],
    ['bullpen agents check', 'what is wrong with your own agent files, and those in .bullpen/agents'],
  ]);
  const all = agents
    .command('list', { isDefault: true })
    .alias('ls')
    .description('all agents: names, models and what they are for')
    .action((_, self: Command) => list(context, self));
  withExamples(all, [['bullpen agents list --json | jq -r ".data[].name"', 'for scripts']]);
  const one = agents
    .command('show')
    .description('everything about one agent: tools, autonomy, limits, approvals, schemas')
    .argument('<name>', 'name of the agent')
    .action((name: string, _, self: Command) => show(context, name, self));
  const file = agents
    .command('check')
    .description('says what is wrong with an agent file, or with all in a folder, with the line')
    .argument('[path]', 'file or folder; default: the agents of the installation and of this folder')
    .action((path: string | undefined, _, self: Command) => check(context, path, self));
  withExamples(file, [['bullpen agents check reviewer.md', 'before it is put where agents are loaded from']]);
  withExamples(one, [['bullpen agents show explorer --json', 'its whole definition']]);
}

async function check(context: Context, path: string | undefined, self: Command): Promise<void> {
  const options = optionsOf(self);
  // Whoever only lists agents does without what reads them.
  const { checkAgentFiles } = await import('../agents/check-agent-files.js');
  const { agents, problems } = await checkAgentFiles(context, path, options);
  const { io } = context;
  if (options.json) printJson(io, { agents: agents.map(({ name }) => name), problems });
  else {
    for (const problem of problems) io.out(problemLine(problem));
    if (problems.length === 0)
      io.out(
        agents.length === 0
          ? 'There are no agent files.'
          : `${agents.map(({ name }) => name).join(', ')}: nothing is wrong`,
      );
  }
  if (problems.length > 0)
    throw new CliError(EXIT.usage, `${plural(problems.length, 'problem')} in agent files.`);
}

/** As compilers write it. */
function problemLine({
  file,
  line,
  message,
}: {
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
}): string {
  return `${file}${line === null ? '' : `:${line}`}: ${message}`;
}

async function list(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const { data, problems } = await allAgents(context, options);
  if (options.json) printJson(io, { data });
  else io.out(agentTable(data, io.tableColumns(), io.outColors));
  for (const problem of problems) io.err(`left out: ${problemLine(problem)}`);
}

/** Those of the installation, then those of this folder as a task that is handed in here would have them. */
async function allAgents(context: Context, options: GlobalOptions) {
  const installed = await connect(context, options).client.agents.list();
  const names = installed.map(({ name }) => name);
  const { agents, problems } = await agentsOfFolder(context, options, names);
  const usual = installed.find(({ name }) => name === USUAL_AGENT);
  const here = agents.map((agent): AgentView => {
    const {
      profiles: _chain,
      helper: _helper,
      keepBodies: _bodies,
      workspaceAgents: _none,
      ...bound
    } = usual ? under(agent, usual) : agent;
    return {
      ...bound,
      model: usual?.model ?? '',
      source: { kind: 'workspace', name: agent.file?.path ?? '' },
    };
  });
  return { data: [...installed, ...here], problems };
}

async function show(context: Context, name: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const { data, problems } = await allAgents(context, options);
  for (const problem of problems) io.err(`left out: ${problemLine(problem)}`);
  const agent = named('agent', data, name);
  if (options.json) printJson(io, agent);
  else io.out(agentDetails(agent, { width: io.columns(), colors: io.outColors }).join('\n'));
}
