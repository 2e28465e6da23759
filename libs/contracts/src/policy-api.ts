/** Layers of the approval policy as they cross boundaries, and the trial of command lines. */
import { z } from 'zod';
import {
  ApprovalSettings,
  CommandPartView,
  NO_RULES,
  PolicyLayer,
  PolicyRules,
  PolicyScope,
} from './policy.js';

/** A layer that somebody wrote. */
export const PolicyView = z
  .object({
    scope: PolicyScope,
    key: z.string().describe('Empty for the installation, a folder for a project, the root’s id for a task.'),
    layer: PolicyLayer,
    revision: z.int().describe('Rises with each change.'),
    updatedAt: z.iso.datetime(),
    updatedBy: z.string().describe('The name of the key that changed it last.'),
  })
  .meta({ id: 'Policy' });
export type PolicyView = z.infer<typeof PolicyView>;

export const PolicyList = z.object({ data: z.array(PolicyView) }).meta({ id: 'PolicyList' });
export type PolicyList = z.infer<typeof PolicyList>;

/** Which layer of a scope: nothing for the installation, a folder for a project, the id of a tree’s root for a task. */
export const PolicyKeyQuery = z
  .strictObject({ key: z.string().max(4_096).default('') })
  .meta({ id: 'PolicyKeyQuery' });
export type PolicyKeyQuery = z.infer<typeof PolicyKeyQuery>;

/** The whole layer in place of the one that was read. */
export const PutPolicy = z
  .strictObject({
    layer: PolicyLayer,
    revision: z.int().min(0).default(0).describe('Revision of the layer that was read; 0 if there was none.'),
  })
  .meta({ id: 'PutPolicy' });
export type PutPolicy = z.infer<typeof PutPolicy>;
export type PutPolicyInput = z.input<typeof PutPolicy>;

/** Settings to try commands with. What is left out is as open as it gets: commands and changes of files allowed, no lists. */
export const PolicyTestSettings = z
  .strictObject({
    approvals: ApprovalSettings.partial().default({}),
    rules: PolicyRules.default(NO_RULES),
  })
  .meta({ id: 'PolicyTestSettings' });
export type PolicyTestSettings = z.infer<typeof PolicyTestSettings>;

const CommandLine = z.string().max(100_000);

/** Body of `POST /v1/policies/test`. Without `settings` the layers of the tenant decide, and that of a project with them. */
export const TestPolicy = z
  .strictObject({
    commands: z.union([CommandLine, z.array(CommandLine).min(1).max(1_000)]),
    settings: PolicyTestSettings.optional(),
    project: z.string().min(1).max(4_096).optional().describe('Folder of the project whose layer applies.'),
    boxed: z
      .boolean()
      .default(false)
      .describe('Whether a sandbox would hold the commands: then only what it does not bound is asked.'),
  })
  .refine((body) => body.settings === undefined || body.project === undefined, {
    path: ['settings'],
    message: 'give settings or a project, not both',
  })
  .meta({ id: 'TestPolicy' });
export type TestPolicy = z.infer<typeof TestPolicy>;
export type TestPolicyInput = z.input<typeof TestPolicy>;

/** The verdict on a command line. Positions are UTF-16 offsets into it. */
export const CommandVerdictView = z
  .object({
    command: z.string(),
    decision: z.enum(['approve', 'ask', 'deny']),
    reason: z.string().describe('A stable code in snake case.'),
    rule: z.string(),
    message: z.string(),
    span: z.object({ start: z.int(), end: z.int(), text: z.string() }).nullable(),
    parts: z.array(CommandPartView),
  })
  .meta({ id: 'CommandVerdict' });
export type CommandVerdictView = z.infer<typeof CommandVerdictView>;

export const PolicyTestResult = z
  .object({ data: z.array(CommandVerdictView) })
  .meta({ id: 'PolicyTestResult' });
export type PolicyTestResult = z.infer<typeof PolicyTestResult>;
