/** Agents: all of them as a table, and one of them in full. Pure. */
import { AUTONOMIES, type AgentView } from '@bullpen/contracts';
import { systemPrompt } from '@bullpen/core';
import type { Colors } from '../io.js';
import { duration } from './format.js';
import { oneLine, plainText } from './plain-text.js';
import { renderTable } from './table.js';
import { limitsText } from './task-details.js';
import { wrap } from './width.js';

/** A line for each agent; the last column gives way where the terminal is narrow. */
export function agentTable(agents: readonly AgentView[], width: number, colors: Colors): string {
  return renderTable(
    agents,
    [
      { title: 'AGENT', value: (agent) => agent.name },
      { title: 'MODEL', value: modelText, shrinkTo: 10, lasts: true },
      { title: 'TYPED', value: typedText },
      { title: 'TOOLS', value: ({ tools }) => (tools.length === 0 ? 'none' : String(tools.length)) },
      { title: 'FROM', value: sourceText, shrinkTo: 10 },
      { title: 'PURPOSE', value: (agent) => oneLine(agent.description), shrinkTo: 20 },
    ],
    width,
    colors,
  );
}

/** A profile says more than its model. */
function modelText({ model, profile }: AgentView): string {
  return oneLine(profile ?? model);
}

const NAME_WIDTH = 12;

/** Everything about one agent, its prompt last. */
export function agentDetails(
  agent: AgentView,
  { width, colors }: { readonly width: number; readonly colors: Colors },
): string[] {
  const facts: readonly (readonly [string, string])[] = [
    ['From', sourceText(agent)],
    ['Model', modelText(agent)],
    ['Autonomy', autonomyText(agent)],
    ['Tools', agent.tools.map(oneLine).join(', ') || 'none'],
    ['Limits', limitsText(agent)],
    ['Approved', categories(agent, true)],
    ['Asked', categories(agent, false)],
    [
      'Retries',
      `${agent.retry.taskAttempts} attempts, with ${agent.retry.modelAttempts} tries per model call`,
    ],
  ];
  return [
    colors.bold(agent.name),
    ...wrap(oneLine(agent.description), width),
    '',
    ...facts.flatMap(([name, text]) => factLines(name, text, width, colors)),
    ...schemaLines('Input', agent.inputSchema, colors),
    ...schemaLines('Output', agent.outputSchema, colors),
    '',
    colors.bold('System prompt'),
    ...plainText(
      systemPrompt({ ...agent, profiles: [], helper: null, keepBodies: false, workspaceAgents: [] }),
    )
      .split('\n')
      .flatMap((line) => (line === '' ? [''] : wrap(line, width - 2).map((part) => `  ${part}`))),
  ];
}

function factLines(name: string, text: string, width: number, colors: Colors): string[] {
  const [first = '', ...rest] = wrap(text, Math.max(20, width - NAME_WIDTH - 1));
  return [
    `${colors.dim(name.padEnd(NAME_WIDTH))} ${first}`,
    ...rest.map((line) => ' '.repeat(NAME_WIDTH + 1) + line),
  ];
}

function autonomyText({ autonomy, conversation, asks }: AgentView): string {
  const waits = asks.expiresAfterMs === null ? '' : `, for ${duration(asks.expiresAfterMs)} at most`;
  const alone =
    asks.inBackground === 'deny' ? 'anything it would ask is refused' : `it waits for the answer${waits}`;
  const talks = conversation ? '; waits for the next message after each answer' : '';
  return `${autonomy}${AUTONOMIES[autonomy].people === 'if_waiting' ? ` (${alone})` : ''}${talks}`;
}

/** By the names that `bullpen policy set` takes. */
function categories({ approvals }: AgentView, allowed: boolean): string {
  const names = Object.entries(approvals).flatMap(([name, value]) => (value === allowed ? [name] : []));
  return names.join(', ') || 'nothing';
}

function schemaLines(name: string, schema: AgentView['inputSchema'], colors: Colors): string[] {
  if (schema === null) return [];
  const lines = plainText(JSON.stringify(schema, null, 2)).split('\n');
  return ['', colors.bold(name), ...lines.map((line) => `  ${line}`)];
}

function sourceText({ source }: AgentView): string {
  if (source.kind === 'built-in') return source.kind;
  const name = oneLine(source.name);
  if (source.kind === 'workspace') return `${name} (this folder)`;
  return source.kind === 'module' ? `module ${name}` : name;
}

function typedText(agent: AgentView): string {
  return [agent.inputSchema && 'in', agent.outputSchema && 'out'].filter(Boolean).join('+');
}
