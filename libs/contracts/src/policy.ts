/** What may run without a person: categories, lists, layers; and what happens when a person has to be asked. */
import { z } from 'zod';
import { HostRules } from './host-entry.js';

/** What kind of thing a tool does; each group has its category among the approval settings. */
export const ToolGroup = z.enum([
  'read',
  'write',
  'execute',
  'browser',
  'mcp',
  'mode',
  'subtask',
  'question',
  'todo',
  'completion',
]);
export type ToolGroup = z.infer<typeof ToolGroup>;

/**
 * Categories that run without asking. `alwaysAllowExecute` still needs a command that the command policy approves, and
 * `alwaysAllowMcp` a tool that is on the list of allowed tools. `alwaysAllowFollowupQuestions` off: the agent may not ask
 * questions. `alwaysApproveResubmit` off: no further attempt at a task starts automatically.
 */
export const ApprovalSettings = z
  .strictObject({
    alwaysAllowReadOnly: z.boolean(),
    alwaysAllowWrite: z.boolean(),
    alwaysAllowExecute: z.boolean(),
    alwaysAllowBrowser: z.boolean(),
    alwaysAllowMcp: z.boolean(),
    alwaysAllowModeSwitch: z.boolean(),
    alwaysAllowSubtasks: z.boolean(),
    alwaysAllowFollowupQuestions: z.boolean(),
    alwaysAllowUpdateTodoList: z.boolean(),
    alwaysApproveResubmit: z.boolean(),
  })
  .meta({ id: 'ApprovalSettings' });
export type ApprovalSettings = z.infer<typeof ApprovalSettings>;

/**
 * Presets of the settings: look only; also change files of the workspace; also run approved commands and subtasks; the same with nobody
 * there: in the background, where what would be asked is denied.
 */
export const ApprovalLevel = z.enum(['low', 'medium', 'high', 'unattended']).meta({ id: 'ApprovalLevel' });
export type ApprovalLevel = z.infer<typeof ApprovalLevel>;

const Entries = z.array(z.string().min(1).max(1_000)).max(500);

/**
 * Lists. Entries for commands are words (`npm run lint`) that match the beginning of a command, `*` alone matches every one;
 * entries for tools are their names; entries for files are paths relative to the workspace, where `protect` takes `*` and `**`;
 * entries for the network are hosts, which only commands in a sandbox are held to.
 */
export const PolicyRules = z
  .strictObject({
    commands: z
      .strictObject({
        allow: Entries.default([]),
        deny: Entries.default([]),
        exceptions: Entries.default([]).describe('Dangerous commands that may run anyway, word for word.'),
      })
      .prefault({}),
    tools: z.strictObject({ allow: Entries.default([]), deny: Entries.default([]) }).prefault({}),
    files: z
      .strictObject({
        protect: Entries.default([]).describe('More files that are never changed without asking.'),
        exceptions: Entries.default([]).describe('Protected files that may be changed anyway.'),
      })
      .prefault({}),
    network: HostRules.prefault({}),
  })
  .meta({ id: 'PolicyRules' });
export type PolicyRules = z.infer<typeof PolicyRules>;

export const NO_RULES: PolicyRules = {
  commands: { allow: [], deny: [], exceptions: [] },
  tools: { allow: [], deny: [] },
  files: { protect: [], exceptions: [] },
  network: { allow: [], deny: [] },
};

/** Lets the agent run whatever command it likes, catastrophic ones excepted: for tasks in a place where nothing can be lost. */
export const ANY_COMMAND: PolicyRules = {
  ...NO_RULES,
  commands: { ...NO_RULES.commands, allow: ['*'] },
};

/** What happens to a call that needs approval. */
export const AskPolicy = z
  .strictObject({
    inBackground: z
      .enum(['deny', 'wait'])
      .describe('Autonomy `background`: deny at once, or wait for a person like `agent` does.'),
    expiresAfterMs: z
      .int()
      .min(1_000)
      .max(366 * 24 * 3_600_000)
      .nullable()
      .describe('How long a request stays open; null: forever.'),
    onExpiry: z.enum(['deny', 'approve']).describe('What counts as the answer when nobody answers in time.'),
  })
  .meta({ id: 'AskPolicy' });
export type AskPolicy = z.infer<typeof AskPolicy>;

export const DEFAULT_ASKS: AskPolicy = { inBackground: 'deny', expiresAfterMs: null, onExpiry: 'deny' };

/**
 * Where settings can be made, from the widest to the narrowest: for the whole installation, for a project (a folder that tasks work
 * on), for one task and its subtasks. The agent's definition stands between project and task.
 */
export const PolicyScope = z.enum(['installation', 'project', 'task']);
export type PolicyScope = z.infer<typeof PolicyScope>;

/** What one layer says. A narrower layer overrides a wider one, but may only tighten what a wider one locks. */
export const PolicyLayer = z
  .strictObject({
    approvals: ApprovalSettings.partial().default({}),
    locked: z.array(ApprovalSettings.keyof()).default([]),
    rules: PolicyRules.default(NO_RULES),
  })
  .meta({ id: 'PolicyLayer' });
export type PolicyLayer = z.infer<typeof PolicyLayer>;
/** A part of a command line with its own verdict. */
export const CommandPartView = z.object({
  text: z.string(),
  decision: z.enum(['approve', 'ask', 'deny']),
  reason: z.string(),
  rule: z.string(),
  message: z.string(),
});
export type CommandPartView = z.infer<typeof CommandPartView>;
