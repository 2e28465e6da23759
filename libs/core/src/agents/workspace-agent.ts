/** What an agent that stands in a workspace may do: its file can be a stranger's, so it only ever takes away. */
import type { AgentDefinition } from '@bullpen/contracts';
import { narrowedPolicy } from '../decide/policy/layers.js';
import { COMPLETE_TASK } from '../task/autonomy.js';
import { narrowLimits } from '../task/limits.js';

/** The agent that a person starts who names none: what it has is the most that a person gives an agent of a workspace. */
export const USUAL_AGENT = 'general';

/** What counts of whoever starts an agent. */
type Starter = Pick<
  AgentDefinition,
  'approvals' | 'rules' | 'asks' | 'tools' | 'autonomy' | 'limits' | 'retry' | 'condense' | 'maxOutputTokens'
>;

/**
 * An agent of a workspace as whoever starts it allows: no tool, permission, limit or autonomy that `starter` has not itself. Only to
 * end its own work it needs nobody's leave, and it may look and plan where its starter could act.
 */
export function under(agent: AgentDefinition, starter: Starter): AgentDefinition {
  return {
    ...agent,
    ...narrowedPolicy(starter, agent),
    // Which model works, and who pays for it, is the choice of whoever starts it.
    ...{ model: '', profile: null, helperProfile: null, retry: starter.retry, condense: starter.condense },
    tools: agent.tools.filter((tool) => tool === COMPLETE_TASK || starter.tools.includes(tool)),
    autonomy: agent.autonomy === 'plan' ? 'plan' : starter.autonomy,
    limits: narrowLimits(agent.limits, starter.limits),
    maxOutputTokens: Math.min(agent.maxOutputTokens, starter.maxOutputTokens),
  };
}

/** Tools that an agent lists and its starter has not. */
export function toolsBeyond(agent: AgentDefinition, starter: Starter): readonly string[] {
  const { tools } = under(agent, starter);
  return agent.tools.filter((tool) => !tools.includes(tool));
}
