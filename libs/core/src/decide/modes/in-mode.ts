/** What a work mode allows: which groups of tools, and what it asks a person for. It only ever tightens what the policy says. */
import type { ModeAsks, ModeDefinition, ToolGroup } from '@bullpen/contracts';
import type { Tool } from '../../ports/tool.js';
import type { TaskRecord } from '../../task/task.js';
import type { Decision } from '../policy/decision.js';
import { machineOf } from './fire.js';

/** Talking about the work is part of every mode. */
const ALWAYS: readonly ToolGroup[] = ['question', 'todo', 'completion', 'mode'];

/** What a mode makes a person approve, for what it asks for. Looking changes nothing. */
const ASKED: Readonly<Record<ModeAsks, readonly ToolGroup[]>> = {
  nothing: [],
  changes: ['write'],
  everything: ['write', 'execute', 'browser', 'mcp', 'subtask'],
};

type InMode = Pick<TaskRecord, 'mode' | 'definition' | 'autonomy'>;

/** The mode that a task is in; null for one that works without modes. */
export function currentMode({
  mode,
  definition: { machine },
}: Pick<InMode, 'mode' | 'definition'>): ModeDefinition | null {
  return machine === undefined || mode === null ? null : machineOf(machine).mode(mode);
}

/** Whether a tool may be used in the mode of a task. */
export function fitsMode(mode: ModeDefinition | null, { group }: Pick<Tool, 'group'>): boolean {
  return mode === null || ALWAYS.includes(group) || mode.groups.includes(group);
}

/** What a call that the policy approves needs besides in its mode: a person, or nothing. */
export function askedByMode(task: InMode, { name, group }: Pick<Tool, 'name' | 'group'>): Decision | null {
  const mode = currentMode(task);
  if (mode === null || !ASKED[asksOf(task, mode)].includes(group)) return null;
  const reason = `${name} needs a person’s approval: it is a part of the work mode ${mode.name}, which asks for this.`;
  return { verdict: 'ask', rule: 'mode.asks', code: 'asked_by_mode', reason };
}

/** With nobody to ask, asking by default would forbid what the policy allows. */
function asksOf({ definition: { machine }, autonomy }: InMode, mode: ModeDefinition): ModeAsks {
  return machine?.asks ?? (autonomy === 'background' ? 'nothing' : mode.asks);
}
