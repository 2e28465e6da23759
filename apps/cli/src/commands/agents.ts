/** `bullpen agents`: who can be asked to do something. */
import type { AgentDefinition } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { oneLine } from '../render/plain-text.js';
import { renderTable } from '../render/table.js';

export function registerAgents(program: Command, context: Context): void {
  const command = program
    .command('agents')
    .description('the agents that tasks can use')
    .action((_, self: Command) => agents(context, self));
  withExamples(command, [['bullpen agents', 'names, models and what they are for']]);
}

async function agents(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const { io } = context;
  const found = await client.agents.list();
  if (options.json) return printJson(io, { data: found });
  io.out(agentTable(found, io));
}

function agentTable(agents: readonly AgentDefinition[], io: Context['io']): string {
  return renderTable(
    agents,
    [
      { title: 'AGENT', value: (agent) => agent.name },
      { title: 'MODEL', value: (agent) => oneLine(agent.model), shrinkTo: 10 },
      { title: 'TYPED', value: (agent) => typedText(agent) },
      { title: 'WHAT FOR', value: (agent) => oneLine(agent.description), shrinkTo: 20 },
    ],
    io.columns(),
    io.outColors,
  );
}

function typedText(agent: AgentDefinition): string {
  return [agent.inputSchema && 'in', agent.outputSchema && 'out'].filter(Boolean).join('+');
}
