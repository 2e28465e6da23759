/** The policy of a task: the layers from the installation down to what people remembered for its tree, combined. Pure. */
import {
  DEFAULT_ASKS,
  NO_RULES,
  type AgentDefinition,
  type ApprovalSettings,
  type AskPolicy,
  type PolicyLayer,
  type PolicyRules,
} from '@bullpen/contracts';
import type { PolicyLayers } from '../../task/policy-layers.js';
import { DEFAULT_APPROVALS, mapApprovals, narrowApprovals, type Category } from './settings.js';

/** Entries for commands of a layer and of all wider ones: a narrower layer's `allow` cannot lift their `deny`. */
export type CommandBound = Pick<PolicyRules['commands'], 'allow' | 'deny'>;

export interface EffectivePolicy {
  readonly approvals: ApprovalSettings;
  /** The lists of all layers together. */
  readonly rules: PolicyRules;
  readonly asks: AskPolicy;
  readonly bounds: readonly CommandBound[];
  /** Categories that are off and stay so, whatever a narrower layer says. */
  readonly locked: readonly Category[];
}

export const EMPTY_LAYER: PolicyLayer = { approvals: {}, locked: [], rules: NO_RULES };

/** What a policy needs of a definition. */
export type PolicyOfDefinition = Pick<AgentDefinition, 'approvals' | 'rules' | 'asks'>;

/**
 * The policy of a task. A narrower layer overrides a wider one in each category that it sets, but may only turn off what a wider
 * one locks. Lists are joined. The definition, which a task keeps as it was submitted, stands between project and task.
 */
export function effectivePolicy(definition: PolicyOfDefinition, layers: PolicyLayers): EffectivePolicy {
  const own: PolicyLayer = { approvals: definition.approvals, locked: [], rules: definition.rules };
  const all = [layers.installation, layers.project, own, layers.task].filter((layer) => layer !== undefined);
  const { approvals, locked } = stack(DEFAULT_APPROVALS, all);
  const bounds: CommandBound[] = [];
  let rules: PolicyRules = NO_RULES;
  for (const layer of all) {
    rules = joinRules(rules, layer.rules);
    if (layer.rules.commands.deny.length > 0) bounds.push(rules.commands);
  }
  return { approvals, rules, asks: definition.asks, bounds, locked };
}

/** What installation and project give a task that is submitted: its default settings, and the categories that it cannot turn on. */
export function submissionDefaults(layers: PolicyLayers): Pick<EffectivePolicy, 'approvals' | 'locked'> {
  return stack(
    DEFAULT_APPROVALS,
    [layers.installation, layers.project].filter((layer) => layer !== undefined),
  );
}

/** The policy of a task that sets nothing itself and whose agent allows everything. */
export function policyOfLayers(layers: PolicyLayers): EffectivePolicy {
  const { approvals } = submissionDefaults(layers);
  return effectivePolicy({ approvals, rules: NO_RULES, asks: DEFAULT_ASKS }, layers);
}

function stack(
  base: ApprovalSettings,
  layers: readonly PolicyLayer[],
): Pick<EffectivePolicy, 'approvals' | 'locked'> {
  let approvals = base;
  const locked = new Set<Category>();
  for (const layer of layers) {
    const before = approvals;
    approvals = mapApprovals((key) => !locked.has(key) && (layer.approvals[key] ?? before[key]));
    // Locking what is on adds nothing: it may be turned off anyway.
    for (const key of layer.locked) if (!approvals[key]) locked.add(key);
  }
  return { approvals, locked: [...locked] };
}

/** A layer with a patch put over it: categories override, lists and locks are joined. */
export function mergeLayer(layer: PolicyLayer, patch: PolicyLayer): PolicyLayer {
  const { commands, tools, files, network } = joinRules(layer.rules, patch.rules);
  return {
    approvals: { ...layer.approvals, ...patch.approvals },
    locked: joined(layer.locked, patch.locked),
    rules: {
      commands: {
        ...commands,
        allow: newest(commands.allow),
        exceptions: newest(commands.exceptions),
      },
      tools: { ...tools, allow: newest(tools.allow) },
      files: { ...files, exceptions: newest(files.exceptions) },
      network: { ...network, allow: newest(network.allow) },
    },
  };
}

/** As many entries as a list may have. What allows may be forgotten; what denies or protects never is. */
const MAX_ENTRIES = 500;

function newest(entries: readonly string[]): string[] {
  return entries.slice(-MAX_ENTRIES);
}

/** Both sets of lists together. */
export function joinRules(a: PolicyRules, b: PolicyRules): PolicyRules {
  return {
    commands: {
      allow: joined(a.commands.allow, b.commands.allow),
      deny: joined(a.commands.deny, b.commands.deny),
      exceptions: joined(a.commands.exceptions, b.commands.exceptions),
    },
    tools: { allow: joined(a.tools.allow, b.tools.allow), deny: joined(a.tools.deny, b.tools.deny) },
    files: {
      protect: joined(a.files.protect, b.files.protect),
      exceptions: joined(a.files.exceptions, b.files.exceptions),
    },
    network: {
      allow: joined(a.network.allow, b.network.allow),
      deny: joined(a.network.deny, b.network.deny),
    },
  };
}

/**
 * A submitter's lists on top of an agent's. A longer entry wins against a shorter one, so an `allow` that begins like an entry that
 * the agent denies is left out: its only use would be to get around it.
 */
export function addRules(agent: PolicyRules, submitted: PolicyRules | undefined): PolicyRules {
  if (submitted === undefined) return agent;
  const allow = submitted.commands.allow.filter(
    (entry) => !agent.commands.deny.some((denied) => isWithin(entry, denied)),
  );
  return joinRules(agent, { ...submitted, commands: { ...submitted.commands, allow } });
}

/** Whether the plain words of `denied` stand in `entry` in their order, whatever else is between them. */
function isWithin(entry: string, denied: string): boolean {
  const [program = '', ...rest] = wordsOf(entry);
  const [deniedProgram = '', ...wanted] = wordsOf(denied).filter((word, at) => at === 0 || word[0] !== '-');
  if (baseName(program) !== baseName(deniedProgram)) return false;
  let at = 0;
  for (const word of rest) if (word === wanted[at]) at += 1;
  return at === wanted.length;
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

function wordsOf(entry: string): string[] {
  return entry.split(/\s+/).filter((word) => word !== '');
}

/**
 * The policy of a subtask: what both its agent and the parent allow. What the parent's lists allow holds for the child as well;
 * what the agent's own lists allow beyond that does not. Denials and protections of both sides count, and the settings for asking
 * are the parent's.
 */
export function narrowedPolicy(parent: PolicyOfDefinition, agent: PolicyOfDefinition): PolicyOfDefinition {
  const bound: PolicyRules = {
    commands: { allow: [], deny: agent.rules.commands.deny, exceptions: [] },
    tools: { allow: [], deny: agent.rules.tools.deny },
    files: { protect: agent.rules.files.protect, exceptions: [] },
    network: { allow: [], deny: agent.rules.network.deny },
  };
  return {
    approvals: narrowApprovals(agent.approvals, parent.approvals),
    rules: addRules(bound, parent.rules),
    asks: parent.asks,
  };
}

function joined<T>(a: readonly T[], b: readonly T[]): T[] {
  return [...new Set([...a, ...b])];
}
