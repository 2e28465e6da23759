/** `bullpen agents …`: who can be asked to do something. */
import type { AgentView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { agentDetails, agentTable } from '../render/agent-views.js';

export function registerAgents(program: Command, context: Context): void {
  const agents = program.command('agents');
  withExamples(agents, [
    ['bullpen agents', 'names, models and what they are for'],
    ['bullpen agents show explorer', 'its tools, limits and approvals'],
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
  withExamples(one, [['bullpen agents show explorer --json', 'its whole definition']]);
}

async function list(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const data = await connect(context, options).client.agents.list();
  if (options.json) printJson(io, { data });
  else io.out(agentTable(data, io.tableColumns(), io.outColors));
}

async function show(context: Context, name: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const agent = named(await connect(context, options).client.agents.list(), name);
  if (options.json) printJson(io, agent);
  else io.out(agentDetails(agent, { width: io.columns(), colors: io.outColors }).join('\n'));
}

function named(agents: readonly AgentView[], name: string): AgentView {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  throw new CliError(EXIT.notFound, `There is no agent "${name}".`, [
    `use one of these: ${agents.map((agent) => agent.name).join(', ')}`,
  ]);
}
