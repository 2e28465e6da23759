/** Checkpoints: the states of a workspace that outlive the machine it is on. */
import { z } from 'zod';
import { AgentName, Limits } from './agent.js';
import { CheckpointId } from './ids.js';
import { readableText } from './text.js';

/**
 * Why one was taken: before the first change, after a turn that changed files, because somebody asked for it, when a subtask got a copy
 * of its own, before a restore and after it.
 */
export const CheckpointReason = z.enum(['start', 'turn', 'request', 'spawn', 'before_restore', 'restore']);
export type CheckpointReason = z.infer<typeof CheckpointReason>;

/** What a restore brings back. */
export const RestoreScope = z.enum(['files', 'history', 'both']).meta({ id: 'RestoreScope' });
export type RestoreScope = z.infer<typeof RestoreScope>;

export const ChangedFile = z
  .object({
    path: z.string(),
    status: z.enum(['added', 'changed', 'deleted', 'renamed', 'mode']),
    from: z.string().optional().describe('Where a renamed file was.'),
    insertions: z.int().nullable().describe('Null for what is no text.'),
    deletions: z.int().nullable(),
  })
  .meta({ id: 'ChangedFile' });
export type ChangedFile = z.infer<typeof ChangedFile>;

export const Diffstat = z
  .object({
    files: z.int(),
    insertions: z.int(),
    deletions: z.int(),
    list: z.array(ChangedFile).describe('The first ones, in order of paths.'),
  })
  .meta({ id: 'Diffstat' });
export type Diffstat = z.infer<typeof Diffstat>;

/** What a checkpoint does not cover, by reason: how many, and the first of them. */
export const LeftOutOfCheckpoint = z.object({
  reason: z
    .enum(['ignored', 'hidden', 'oversize', 'repository', 'special', 'unreadable', 'changing', 'commits'])
    .describe(
      'commits: branches and commits of the repository in the workspace, which are as in the checkpoint before.',
    ),
  count: z.int(),
  paths: z.array(z.string()),
});
export type LeftOutOfCheckpoint = z.infer<typeof LeftOutOfCheckpoint>;

export const CheckpointView = z
  .object({
    id: z.string(),
    taskId: z.string(),
    rootId: z.string(),
    workspaceId: z
      .string()
      .describe('The root task of the workspace, or the subtask that has one of its own.'),
    parentId: z.string().nullable(),
    reason: CheckpointReason,
    note: z.string().nullable(),
    turn: z.int(),
    messageSeq: z.int().describe('The last message of the conversation that it knows.'),
    eventSeq: z.int().describe('The event that tells of it.'),
    commit: z.string(),
    files: z.int(),
    diffstat: Diffstat.nullable().describe('Since its parent; null for the first.'),
    leftOut: z.array(LeftOutOfCheckpoint),
    bytes: z.int().describe('Stored for it alone.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Checkpoint' });
export type CheckpointView = z.infer<typeof CheckpointView>;

/** Two checkpoints compared; of a task its first and its newest. */
export const TaskDiff = z
  .object({
    from: z.string().nullable().describe('Null: it has no checkpoints.'),
    to: z.string().nullable(),
    diffstat: Diffstat,
  })
  .meta({ id: 'TaskDiff' });
export type TaskDiff = z.infer<typeof TaskDiff>;

export const CheckpointPage = z
  .object({ data: z.array(CheckpointView), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'CheckpointPage' });
export type CheckpointPage = z.infer<typeof CheckpointPage>;

/** Query of `GET /v1/checkpoints/{id}/diff`. */
export const CompareCheckpoints = z
  .strictObject({
    to: CheckpointId.optional().describe(
      'Another checkpoint; default: the newest one of the same workspace.',
    ),
  })
  .meta({ id: 'CompareCheckpoints' });
export type CompareCheckpoints = z.infer<typeof CompareCheckpoints>;

/** Body of `POST /v1/checkpoints/{id}/fork`. */
export const ForkCheckpoint = z
  .strictObject({
    message: readableText(100_000).optional().describe('What the agent should do from there on.'),
    title: readableText(200).optional(),
    agent: AgentName.optional().describe('Another agent goes on.'),
    model: z.string().min(1).max(200).optional(),
    limits: Limits.partial()
      .optional()
      .describe('Limits that should differ; all count from zero in the new task.'),
  })
  .meta({ id: 'ForkCheckpoint' });
export type ForkCheckpoint = z.infer<typeof ForkCheckpoint>;
