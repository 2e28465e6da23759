/** The policy's decision about one call of a run, under the layers as the run last saw them. */
import type { PolicyLayer } from '@bullpen/contracts';
import { askedByMode } from '../decide/modes/in-mode.js';
import { decide } from '../decide/policy/decide.js';
import type { Decision, DecisionContext } from '../decide/policy/decision.js';
import { effectivePolicy, type EffectivePolicy } from '../decide/policy/layers.js';
import { rememberedRule } from '../decide/policy/remember.js';
import { isOffered } from '../decide/offer.js';
import type { Run } from './run.js';
import type { CallFacts, Tool } from '../ports/tool.js';

/** What holds for the task at this moment. */
export function policyOf({ state }: Run): EffectivePolicy {
  return effectivePolicy(state.task.definition, state.layers);
}

/** What the policy of the task, as it stands now, says of a call with these facts. */
export function decideCall(run: Run, tool: Tool, facts: CallFacts): Decision {
  const decision = decide({ tool: tool.name, group: tool.group, facts }, policyOf(run), contextOf(run, tool));
  return decision.verdict === 'approve' ? (askedByMode(run.state.task, tool) ?? decision) : decision;
}

/** The rule that a person could add so that similar calls are not asked about again, in words and as a change of a layer. */
export function rememberable(
  run: Run,
  tool: Tool,
  facts: CallFacts,
): { readonly sentence: string; readonly patch: PolicyLayer } | null {
  return rememberedRule({ tool: tool.name, group: tool.group, facts }, policyOf(run), contextOf(run, tool));
}

function contextOf(run: Run, tool: Tool): DecisionContext {
  const { task } = run.state;
  return {
    autonomy: task.autonomy,
    offered: isOffered(tool, task),
    judgeCommand: (line, settings, cwd) => run.deps.judgeCommand(line, settings, run.workspace.path, cwd),
  };
}
