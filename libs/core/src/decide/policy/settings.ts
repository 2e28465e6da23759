/** The categories of approvals: their defaults, presets, and which one speaks for which tools. */
import type { ApprovalLevel, ApprovalSettings, ToolGroup } from '@bullpen/contracts';

/** A category among the approvals. */
export type Category = keyof ApprovalSettings;

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

/** Every category on; lists and the command policy still apply. */
export const ALL_APPROVALS: ApprovalSettings = mapApprovals(() => true);

/** Settings that allow only what both sides allow: a definition's bound and a task's wish, or a parent's and a child's. */
export function narrowApprovals(a: ApprovalSettings, b: ApprovalSettings): ApprovalSettings {
  return mapApprovals((key) => a[key] && b[key]);
}

/** Settings with a value for each category. */
export function mapApprovals(of: (key: Category) => boolean): ApprovalSettings {
  const keys = Object.keys(DEFAULT_APPROVALS) as Category[];
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as ApprovalSettings;
}

const HIGH: ApprovalSettings = {
  ...DEFAULT_APPROVALS,
  alwaysAllowWrite: true,
  alwaysAllowExecute: true,
  alwaysAllowSubtasks: true,
};

/** What the levels mean: look only; also change files of the workspace; also run approved commands and subtasks; that without anyone. */
export const APPROVAL_LEVELS: Readonly<Record<ApprovalLevel, ApprovalSettings>> = {
  low: DEFAULT_APPROVALS,
  medium: { ...DEFAULT_APPROVALS, alwaysAllowWrite: true },
  high: HIGH,
  unattended: { ...HIGH, alwaysAllowModeSwitch: true, alwaysAllowFollowupQuestions: false },
};

/** The category that speaks for a group of tools. Reporting the result never needs approval. */
export const CATEGORY_OF: Readonly<Record<Exclude<ToolGroup, 'completion'>, Category>> = {
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
