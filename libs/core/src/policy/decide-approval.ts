/** The verdict by category alone, as it was before there were lists and layers. */
import type { ApprovalDecision, ApprovalSettings, ToolGroup } from '@bullpen/contracts';
import { CATEGORY_OF } from './settings.js';

/**
 * The verdict on one call. In `background` there is no one to ask, so what is not allowed is denied, and the reason tells the
 * model what to do instead. Reporting the result is never a matter of approval.
 */
export function decideApproval(tool: string, group: ToolGroup, settings: ApprovalSettings): ApprovalDecision {
  if (group === 'completion')
    return { verdict: 'approve', rule: 'completion', reason: 'Ends the task.', by: 'policy' };
  const setting = CATEGORY_OF[group];
  if (settings[setting]) {
    return { verdict: 'approve', rule: setting, reason: `${setting} is on for this task.`, by: 'policy' };
  }
  return {
    verdict: 'deny',
    rule: setting,
    reason:
      `${tool} is not allowed: ${setting} is off for this task and nobody can be asked. ` +
      'Do not try again; find another way, or say in your result what you could not do.',
    by: 'policy',
  };
}
