/** The last step of a decision: the category of the tool, and what some categories also require. */
import type { ToolGroup } from '@bullpen/contracts';
import type { Decision } from './decision.js';
import type { EffectivePolicy } from './layers.js';
import { CATEGORY_OF } from './settings.js';

/** What the category says about a call. `isKnown`: what it runs is known, to the command policy if it is anything. */
export function categoryDecision(
  tool: string,
  group: Exclude<ToolGroup, 'completion'>,
  policy: EffectivePolicy,
  isKnown: boolean,
): Decision {
  const setting = CATEGORY_OF[group];
  if (!policy.approvals[setting]) {
    if (group === 'question') return noQuestions(tool, setting);
    const reason = `${tool} needs a person’s approval: ${setting} is off for this task.`;
    return { verdict: 'ask', rule: setting, code: 'category_off', reason };
  }
  if (group === 'mcp' && !policy.rules.tools.allow.includes(tool)) {
    const reason = `${tool} is not on the list of allowed tools.`;
    return { verdict: 'ask', rule: 'tools.allow', code: 'tool_not_listed', reason, part: tool };
  }
  if (group === 'execute' && !isKnown) {
    const reason = `It is not clear what ${tool} would run.`;
    return { verdict: 'ask', rule: setting, code: 'command_unknown', reason };
  }
  return {
    verdict: 'approve',
    rule: setting,
    code: 'category_on',
    reason: `${setting} is on for this task.`,
  };
}

function noQuestions(tool: string, setting: string): Decision {
  return {
    verdict: 'deny',
    rule: setting,
    code: 'questions_off',
    reason: `${tool} is not allowed: ${setting} is off for this task. Decide yourself, and state your assumption in the result.`,
  };
}
