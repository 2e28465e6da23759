/** spawn_subtask: another agent, at work on a part of the task. It only says which task the step must store. */
import { readableText, type AgentDefinition, type Json } from '@bullpen/contracts';
import { z } from 'zod';
import { inheritedProfiles, withHelper, withProfiles, type NamedProfiles } from '../agents/profiles.js';
import { inputIssues, titleOf } from '../agents/resolve.js';
import { under } from '../agents/workspace-agent.js';
import { canAsk } from '../decide/offer.js';
import { narrowedPolicy } from '../decide/policy/layers.js';
import type { ValidateJson } from '../ports/loop-deps.js';
import type { ToolOutcome } from '../ports/tool.js';
import { narrowLimits } from '../task/limits.js';
import { SPAWN_SUBTASK } from '../task/subtasks.js';
import type { TaskRecord } from '../task/task.js';
import { defineTool, failure } from './define-tool.js';
import type { ToolFor } from './registry.js';
import { WAIT_FOR_SUBTASKS } from './wait-for-subtasks.js';

/** What the agents' tools are made from. */
export interface AgentTools {
  /** The catalogue of agents, in the order in which they are shown. */
  readonly agents: readonly AgentDefinition[];
  readonly validate: ValidateJson;
  /** The profiles that agents may name. @defaultValue none */
  readonly profiles?: NamedProfiles;
}

const input = z.strictObject({
  agent: z.string().describe('Name of the agent that does the work.'),
  prompt: readableText(100_000).describe(
    'The whole task, for the subtask sees nothing else of yours: the goal and what it is for, what is known already with paths and lines, what it may change, what is decided, ' +
      'how its work is checked, what to return and how long, and when to give up.',
  ),
  input: z.json().optional().describe('Typed input, if the agent takes one.'),
  title: readableText(200).optional().describe('A few words for the user, who sees it in the list of tasks.'),
  workspace: z
    .enum(['shared', 'isolated'])
    .optional()
    .describe(
      'isolated: a copy of your files as they are now, so that nobody is in its way; you take what it changes when it has ended. shared: it works in your folder. ' +
        'Without this: isolated if its agent may change files, shared if it only reads.',
    ),
});
type Input = z.output<typeof input>;

/** The tool. Its description names the agents, and the tool to wait with if the definition lists that. */
export function spawnSubtask(context: AgentTools): ToolFor {
  const tool = defineTool({
    name: SPAWN_SUBTASK,
    description: '',
    group: 'subtask',
    resume: 'repeat', // The child is created in the transaction that stores the result, so a repeated call has no child yet.
    asides: ['title'],
    isPure: true,
    input,
    run: (args, { task }) => spawn(task, args, context),
  });
  return {
    name: tool.name,
    for: ({ tools, workspaceAgents }) => ({
      ...tool,
      description:
        'Starts a subtask: another agent works on it, at the same time as you. Use it for parts that are independent and sizeable, or noisy; not for what a handful of calls does, for edits to one file, or to check your own work. Returns {"taskId", "workspace"} at once. ' +
        'An isolated one has its own copy of the files: what it changes is not in your folder until it has ended and you take it. Of those that share your folder, ' +
        'only one that may change files works at a time. ' +
        `Start independent subtasks together in one turn${tools.includes(WAIT_FOR_SUBTASKS) ? `, then call ${WAIT_FOR_SUBTASKS}` : ''}. ` +
        `Agents:\n${[...context.agents, ...workspaceAgents].map(agentLine).join('\n')}`,
    }),
  };
}

type Listed = Pick<AgentDefinition, 'name' | 'description' | 'tools' | 'file'>;

/** An agent as whoever may start it sees it. */
function agentLine({ name, description, tools, file }: Listed): string {
  // One line each, whatever somebody's file says.
  const meant = file === null ? description : `(from ${file.path}) ${description.replaceAll(/\s+/g, ' ')}`;
  return `- ${name}: ${meant}${tools.length === 0 ? ' It has no tools.' : ''}`;
}

function spawn(parent: TaskRecord, args: Input, { agents, validate, profiles }: AgentTools): ToolOutcome {
  const { limits } = parent.definition;
  if (parent.depth >= limits.depth)
    return failure(
      `Subtasks may be nested ${limits.depth} deep, and this task is at depth ${parent.depth}. Do the work yourself.`,
    );
  if (parent.childCount >= limits.subtasks)
    return failure(
      `This task already has as many subtasks as it may have: ${limits.subtasks}. Do the rest yourself.`,
    );
  const agent = startable(parent, args.agent, agents);
  if ('kind' in agent) return agent;
  const given: Json = args.input ?? null;
  const issues = inputIssues(agent, given, validate);
  if (issues.length > 0)
    return failure(
      `The input does not fit ${agent.name}:\n${issues.map((issue) => `- ${issue}`).join('\n')}`,
    );
  const chosen = chosenProfiles(parent, agent, profiles ?? new Map());
  if ('problem' in chosen) return failure(chosen.problem);
  return {
    kind: 'spawn',
    child: {
      title: args.title ?? titleOf(args.prompt, agent.name),
      prompt: args.prompt,
      input: given,
      definition: childDefinition(parent, chosen.definition),
    },
    workspace: args.workspace ?? null,
  };
}

/** The agent of a name, one of the workspace as far as the parent goes itself; or why there is none. */
function startable(
  { definition }: TaskRecord,
  name: string,
  ofInstallation: readonly AgentDefinition[],
): AgentDefinition | ToolOutcome {
  const { workspaceAgents, keepBodies } = definition;
  const all = [...ofInstallation, ...workspaceAgents.map((one) => ({ ...one, workspaceAgents, keepBodies }))];
  const found = all.find((one) => one.name === name);
  if (found === undefined)
    return failure(`There is no agent named ${name}. Agents:\n${all.map(agentLine).join('\n')}`);
  if (found.file === null) return found;
  const agent = under(found, { ...definition, autonomy: 'background' });
  return found.tools.length > 0 && agent.tools.length === 0
    ? failure(
        `${name} could do nothing here: it gets only tools that you have yourself, and lists none of them.`,
      )
    : agent;
}

/** The agent with the profile that it names, or else with that of its parent. */
function chosenProfiles(parent: TaskRecord, agent: AgentDefinition, named: NamedProfiles) {
  const { helper } = parent.definition;
  const helped = agent.helperProfile === null ? { ...agent, helper } : agent;
  if (agent.model === '' && agent.profile === null)
    return withHelper({ ...helped, ...inheritedProfiles(parent.definition, agent) }, named);
  return withProfiles(helped, named);
}

/** What a child may do is what its agent and its parent both may. */
function childDefinition(parent: TaskRecord, agent: AgentDefinition): AgentDefinition {
  const policy = narrowedPolicy(parent.definition, agent);
  return {
    ...agent,
    ...policy,
    workspaceAgents: parent.definition.workspaceAgents,
    keepBodies: parent.definition.keepBodies,
    limits: narrowLimits(agent.limits, parent.definition.limits),
    retry: parent.definition.retry,
    // Whoever answers for the parent answers for its subtasks: their requests come to the same inbox.
    asks: { ...policy.asks, inBackground: canAsk(parent) ? 'wait' : 'deny' },
  };
}
