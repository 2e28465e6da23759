/** Turns what was submitted into the complete, frozen definition that a task runs with, or says what is wrong with it. */
import type {
  AgentDefinition,
  ApprovalSettings,
  AskPolicy,
  CreateTask,
  ErrorCode,
  Json,
  Limits,
  ModeDefinition,
  NextAction,
  RetryPolicy,
} from '@bullpen/contracts';
import type { ValidateJson } from '../ports/loop-deps.js';
import { addRules, submissionDefaults } from '../decide/policy/layers.js';
import type { PolicyLayers } from '../task/policy-layers.js';
import { APPROVAL_LEVELS, mapApprovals } from '../decide/policy/settings.js';
import { profileOf } from '../task/profile-of.js';
import { preview } from '../task/text.js';
import { withProfiles, type NamedProfiles } from './profiles.js';
import { toolsBeyond, under, USUAL_AGENT } from './workspace-agent.js';

/** What is known about models by their names. */
export interface KnownModels {
  /** Why a model cannot be used here, with similar names; null when it can. */
  problemOf(model: string): string | null;
  hasPrice(model: string): boolean;
}

export interface ResolveContext {
  readonly agents: readonly AgentDefinition[];
  /** What came with the task: the agents of its workspace, and what is wrong with the files of others. @defaultValue none */
  readonly workspace?: {
    readonly agents: readonly AgentDefinition[];
    readonly problems: readonly string[];
  };
  readonly defaultModel: string;
  readonly models: KnownModels;
  /** The profiles that this installation names itself. @defaultValue none */
  readonly profiles?: NamedProfiles;
  /** The one of them for calls that only help a task, where its agent names none. @defaultValue null */
  readonly helperProfile?: string | null;
  /** The work modes of this installation. @defaultValue none */
  readonly modes?: readonly ModeDefinition[];
  /** Names of all tools that this installation has. */
  readonly toolNames: readonly string[];
  readonly validate: ValidateJson;
  /** What is wrong with a JSON Schema itself; empty when it can be used. */
  readonly schemaIssues: (schema: Record<string, Json>) => readonly string[];
  /** The layers of installation and project; they set the defaults of the approvals and lock some. */
  readonly layers?: PolicyLayers;
}

export type Resolved =
  | {
      readonly ok: true;
      readonly definition: AgentDefinition;
      readonly title: string;
      readonly prompt: string;
      readonly input: Json | null;
    }
  | Refused;

/** `pointer` is a JSON pointer into the submitted body. */
export interface Refused {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly nextActions?: readonly NextAction[];
}

/** Resolves a submitted task. Everything that can be known to be wrong is refused here, before anything is stored. */
export function resolveTask(body: CreateTask, context: ResolveContext): Resolved {
  const agent = chosenAgent(body.agent, context);
  if ('ok' in agent) return agent;
  const unknown = agent.tools.filter((tool) => !context.toolNames.includes(tool));
  if (unknown.length > 0)
    return refused(
      'unknown_tool',
      '/agent',
      `${agent.name} lists tools that do not exist here: ${unknown.join(', ')}.`,
    );
  const input = body.input ?? null;
  const issues = inputIssues(agent, input, context.validate);
  if (issues.length > 0)
    return {
      ok: false,
      code: 'invalid_input',
      errors: issues.map((detail) => ({ pointer: '/input', detail })),
    };
  const badSchema = body.outputSchema ? context.schemaIssues(body.outputSchema) : [];
  if (badSchema.length > 0) return refused('invalid_request', '/outputSchema', badSchema.join('; '));
  const { modes = [] } = context;
  if (body.workflow === 'fsm' && modes.length === 0)
    return refused('invalid_request', '/workflow', 'This installation has no work modes.');
  const wished: AgentDefinition = {
    ...agent,
    model: body.model ?? (agent.model === '' ? context.defaultModel : agent.model),
    profile: body.profile ?? (body.model === undefined ? agent.profile : null),
    helperProfile: agent.helperProfile ?? context.helperProfile ?? null,
    autonomy: body.autonomy ?? (body.approvalLevel === 'unattended' ? 'background' : agent.autonomy),
    conversation: body.conversation ?? agent.conversation,
    approvals: approvalsOf(body, agent, context.layers ?? {}),
    rules: addRules(agent.rules, body.rules),
    asks: merged<AskPolicy>(agent.asks, body.asks),
    condense: body.condense ?? agent.condense,
    limits: merged<Limits>(agent.limits, body.limits),
    retry: merged<RetryPolicy>(agent.retry, body.retry),
    outputSchema: body.outputSchema ?? agent.outputSchema,
    keepBodies: body.keepBodies,
    workspaceAgents: (context.workspace?.agents ?? []).map(
      ({ workspaceAgents: _none, keepBodies: _bodies, ...one }) => one,
    ),
    ...(body.workflow === 'fsm' && { machine: { modes: [...modes], asks: body.modeAsks ?? null } }),
  };
  const chosen = withProfiles(wished, context.profiles ?? new Map());
  if ('problem' in chosen)
    return refused('invalid_request', body.profile === undefined ? '/agent' : '/profile', chosen.problem);
  const { definition } = chosen;
  const wrongModel = modelIssue(body, definition, context.models);
  if (wrongModel !== null) return wrongModel;
  const prompt = body.prompt ?? '';
  return { ok: true, definition, prompt, input, title: body.title ?? titleOf(prompt, agent.name) };
}

/** The agent of a name, of the installation or else of the workspace, as far as it may do what its file says. */
function chosenAgent(name: string, { agents, workspace }: ResolveContext): AgentDefinition | Refused {
  const ofWorkspace = workspace?.agents ?? [];
  const all = [...agents, ...ofWorkspace];
  const agent = all.find((one) => one.name === name);
  if (agent === undefined) {
    const known = all.map((one) => one.name).join(', ');
    const details = [`There is no agent named ${name}. Agents: ${known}.`, ...(workspace?.problems ?? [])];
    return refused('unknown_agent', '/agent', details.join(' '));
  }
  const usual = agents.find((one) => one.name === USUAL_AGENT);
  if (agent.file === null || usual === undefined) return agent;
  const beyond = toolsBeyond(agent, usual);
  if (beyond.length === 0) return under(agent, usual);
  const told = `${agent.file.path}: an agent of a workspace cannot have ${beyond.join(', ')}, only tools of the agent ${USUAL_AGENT}.`;
  return refused('unknown_tool', '/agent', told);
}

/** The definition of a task that exists, with another model or other limits, for one that goes on from there. */
export function changedDefinition(
  definition: AgentDefinition,
  { model, limits }: Pick<CreateTask, 'model' | 'limits'>,
  models: KnownModels,
): { readonly ok: true; readonly definition: AgentDefinition } | Refused {
  const base = model === undefined ? definition : { ...definition, model, profile: null, profiles: [] };
  const changed = {
    ...base,
    profiles: base.profiles.length > 0 ? base.profiles : [profileOf({ definition: base })],
    limits: merged<Limits>(definition.limits, limits),
  };
  return modelIssue({ model }, changed, models) ?? { ok: true, definition: changed };
}

/** The definition of a task that goes on with another profile: one of this installation, or that of a model. */
export function switchedDefinition(
  definition: AgentDefinition,
  name: string,
  { models, profiles = new Map() }: Pick<ResolveContext, 'models' | 'profiles'>,
): { readonly ok: true; readonly definition: AgentDefinition } | Refused {
  const isModel = !profiles.has(name) && models.problemOf(name) === null;
  const wished = isModel ? { model: name, profile: null } : { profile: name };
  const chosen = withProfiles({ ...definition, ...wished }, profiles);
  if ('problem' in chosen) return refused('invalid_request', '/profile', chosen.problem);
  return (
    modelIssue({ model: name }, chosen.definition, models) ?? { ok: true, definition: chosen.definition }
  );
}

/** A model that is not known, or one without a price under a limit that could not be kept. */
function modelIssue(
  body: Pick<CreateTask, 'model'>,
  { name, model, profile, profiles, helper, limits }: AgentDefinition,
  models: KnownModels,
): Refused | null {
  // Whoever wrote a profile knows the model that it names.
  const problem = profile === null ? models.problemOf(model) : null;
  if (problem !== null)
    return body.model === undefined
      ? refused('invalid_request', '/agent', `The agent ${name} works with another model. ${problem}`)
      : refused('invalid_request', '/model', problem);
  const all = helper === null ? profiles : [...profiles, helper];
  const unpriced = all.find((one) => one.price === null && !models.hasPrice(one.model));
  if (limits.costUsd === null || unpriced === undefined) return null;
  return {
    ...refused('invalid_request', '/limits/costUsd', noPriceText(unpriced.model)),
    nextActions: [{ action: 'task.drop_cost_limit' }],
  };
}

/** What to do about a cost limit that cannot be kept. */
export function noPriceText(model: string): string {
  return `${model} has no known price, so a cost limit cannot be kept. Run it without one, or use a model with a price.`;
}

/** Individual settings override the level, and the level overrides the defaults; what the agent or a lock turns off stays off. */
function approvalsOf(body: CreateTask, agent: AgentDefinition, layers: PolicyLayers): ApprovalSettings {
  const defaults = submissionDefaults(layers);
  const level = body.approvalLevel === undefined ? defaults.approvals : APPROVAL_LEVELS[body.approvalLevel];
  const wished = merged<ApprovalSettings>(level, body.approvals);
  return mapApprovals((key) => wished[key] && agent.approvals[key] && !defaults.locked.includes(key));
}

/** What is wrong with an input for an agent; empty when it fits. An agent without an input schema takes any. */
export function inputIssues(
  agent: AgentDefinition,
  input: Json | null,
  validate: ValidateJson,
): readonly string[] {
  if (agent.inputSchema === null) return [];
  if (input === null) return [`${agent.name} needs an input that fits its schema.`];
  return validate(agent.inputSchema, input);
}

/** The first line of the prompt, or the agent's name. */
export function titleOf(prompt: string, agent: string): string {
  const line = prompt.split('\n').find((text) => text.trim() !== '');
  return preview((line ?? agent).trim(), 80);
}

function merged<T extends object>(defaults: T, given: { [K in keyof T]?: T[K] | undefined } | undefined): T {
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)),
  };
}

function refused(code: ErrorCode, pointer: string, detail: string): Refused {
  return { ok: false, code, errors: [{ pointer, detail }] };
}
