/** Whether a tool call may run without a person. Pure; the verdict is recorded on the call. */
import type { ApprovalDecision, ApprovalSettings, ToolGroup } from '@bullpen/contracts';

/** What a task may do when its submitter says nothing: look, and keep its to-do list. */
export const DEFAULT_APPROVALS: ApprovalSettings = {
  alwaysAllowReadOnly: true,
  alwaysAllowWrite: false,
  alwaysAllowExecute: false,
  alwaysAllowBrowser: false,
  alwaysAllowMcp: false,
  alwaysAllowModeSwitch: false,
  alwaysAllowSubtasks: false,
  alwaysAllowFollowupQuestions: true,
  alwaysAllowUpdateTodoList: true,
  alwaysApproveResubmit: true,
};

/** Every category on; lists and the command policy still have their say. */
export const ALL_APPROVALS: ApprovalSettings = mapApprovals(() => true);

/** Settings that allow only what both sides allow: a definition's bound and a task's wish, or a parent's and a child's. */
export function narrowApprovals(a: ApprovalSettings, b: ApprovalSettings): ApprovalSettings {
  return mapApprovals((key) => a[key] && b[key]);
}

function mapApprovals(of: (key: keyof ApprovalSettings) => boolean): ApprovalSettings {
  const keys = Object.keys(DEFAULT_APPROVALS) as (keyof ApprovalSettings)[];
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as ApprovalSettings;
}

const SETTING_OF: Readonly<Record<Exclude<ToolGroup, 'completion'>, keyof ApprovalSettings>> = {
  read: 'alwaysAllowReadOnly',
  write: 'alwaysAllowWrite',
  execute: 'alwaysAllowExecute',
  browser: 'alwaysAllowBrowser',
  mcp: 'alwaysAllowMcp',
  mode: 'alwaysAllowModeSwitch',
  subtask: 'alwaysAllowSubtasks',
  question: 'alwaysAllowFollowupQuestions',
  todo: 'alwaysAllowUpdateTodoList',
};

/**
 * The verdict on one call. In `background` there is no one to ask, so what is not allowed is denied, and the reason tells the
 * model what to do instead. Reporting the result is never a matter of approval.
 */
export function decideApproval(tool: string, group: ToolGroup, settings: ApprovalSettings): ApprovalDecision {
  if (group === 'completion')
    return { verdict: 'approve', rule: 'completion', reason: 'Ends the task.', by: 'policy' };
  const setting = SETTING_OF[group];
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
