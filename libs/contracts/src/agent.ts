/** What an agent is: prompt, tools, autonomy, limits, schemas. */
import { z } from 'zod';
import { Autonomy } from './autonomy.js';
import { JsonSchema, Usd } from './json.js';
import { ModelProfile, ProfileName } from './model-profile.js';
import { readableText } from './text.js';
import { WorkMachine } from './work-mode.js';
import { AskPolicy, ApprovalSettings, DEFAULT_ASKS, NO_RULES, PolicyRules } from './policy.js';

/** Bounds of one task. `costUsd` is one account for the whole tree of the root; the others count per task. */
export const Limits = z
  .strictObject({
    turns: z.int().min(1).max(10_000),
    activeMs: z
      .int()
      .min(1_000)
      .max(7 * 24 * 3_600_000),
    tokens: z.int().min(1_000).max(1_000_000_000),
    costUsd: Usd.nullable().describe('Null: no cost limit. Needed for models without a known price.'),
    subtasks: z.int().min(0).max(10_000),
    depth: z.int().min(0).max(20),
  })
  .meta({ id: 'Limits' });
export type Limits = z.infer<typeof Limits>;

/** How often and how patiently model failures are retried. Times in ms. */
export const RetryPolicy = z
  .strictObject({
    taskAttempts: z.int().min(1).max(100).describe('Attempts at the task before it fails for good.'),
    modelAttempts: z
      .int()
      .min(1)
      .max(100)
      .describe('Tries of one model call in an attempt, for each class of error.'),
    baseMs: z.int().min(10).max(600_000).describe('The shortest wait before another try.'),
    maxMs: z
      .int()
      .min(10)
      .max(24 * 3_600_000)
      .describe('The longest wait, unless the provider asks for more.'),
  })
  .meta({ id: 'RetryPolicy' });
export type RetryPolicy = z.infer<typeof RetryPolicy>;

/** Full jitter from 1 s to 600 s, five tries of a call, three attempts at a task. */
export const DEFAULT_RETRY: RetryPolicy = {
  taskAttempts: 3,
  modelAttempts: 5,
  baseMs: 1_000,
  maxMs: 600_000,
};

export const AgentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and dashes, starting with a letter');

const StoredApprovals = ApprovalSettings.extend({
  alwaysAllowBrowser: z.boolean().default(false),
  alwaysAllowMcp: z.boolean().default(false),
  alwaysAllowModeSwitch: z.boolean().default(false),
  alwaysAllowFollowupQuestions: z.boolean().default(true),
  alwaysApproveResubmit: z.boolean().default(true),
});

/** Where a workspace has agents of its own: files in this folder of it. */
export const AGENTS_FOLDER = '.bullpen/agents';

/** A file of a workspace that an agent was read from, as it was then. */
export const AgentFile = z
  .strictObject({
    path: z.string().min(1).max(300).describe('Relative to the folder that it was found in.'),
    sha256: z.string().describe('Of its text, as 64 hexadecimal digits.'),
  })
  .meta({ id: 'AgentFile' });
export type AgentFile = z.infer<typeof AgentFile>;

/** An agent file of the folder that a task is about, as `.bullpen/agents` has it. */
export const GivenAgentFile = z
  .strictObject({
    path: AgentFile.shape.path,
    text: readableText(64 * 1_024).describe('Front matter and system prompt.'),
  })
  .meta({ id: 'GivenAgentFile' });
export type GivenAgentFile = z.infer<typeof GivenAgentFile>;

/** An agent definition, complete: every default filled in. */
const SingleAgent = z.strictObject({
  name: AgentName,
  description: z.string().min(1).max(1_000),
  model: z.string().min(1).max(200),
  /** Null: the built-in profile of the model. */
  profile: ProfileName.nullable().default(null),
  /** What a task was given: its profile, then the ones to fall back to. Empty in an agent, and in tasks from before there were profiles. */
  profiles: z.array(ModelProfile).max(9).default([]),
  /** A profile for calls that only help the task, such as summaries; null: that of the installation, or else the task's own. */
  helperProfile: ProfileName.nullable().default(null),
  /** What a task was given as that. Null in an agent. */
  helper: ModelProfile.nullable().default(null),
  maxOutputTokens: z.int().min(1).max(128_000),
  systemPrompt: z.string().max(100_000),
  tools: z.array(z.string()).max(200),
  autonomy: Autonomy,
  /** Definitions that were stored before there were ten categories lack the newer ones. */
  /** An answer does not end the task: it waits for the next message. */
  conversation: z.boolean().default(false),
  approvals: StoredApprovals,
  rules: PolicyRules.default(NO_RULES),
  asks: AskPolicy.default(DEFAULT_ASKS),
  /** False: the conversation is never made shorter; when it has become too long, the user is asked. */
  condense: z.boolean().default(true),
  limits: Limits,
  inputSchema: JsonSchema.nullable(),
  outputSchema: JsonSchema.nullable(),
  /** Definitions that were stored before there were policies have the usual one. */
  retry: RetryPolicy.default(DEFAULT_RETRY),
  /** Null: it belongs to the installation. */
  file: AgentFile.nullable().default(null),
});

/** Without a model it has that of whoever starts it. */
const UnboundAgent = SingleAgent.extend({ model: z.string().max(200) });

/** A task keeps the copy that it was created with. */
export const AgentDefinition = SingleAgent.extend({
  /** Bodies of a task's model calls are kept for a while. Never of an agent. */
  keepBodies: z.boolean().default(false),
  /** What a task was given: agents of its workspace, for its subtasks. Empty in an agent. */
  workspaceAgents: z.array(UnboundAgent).max(20).default([]),
  /** Of a task that works in modes; never of an agent. */
  machine: WorkMachine.optional(),
}).meta({ id: 'AgentDefinition' });
export type AgentDefinition = z.infer<typeof AgentDefinition>;
