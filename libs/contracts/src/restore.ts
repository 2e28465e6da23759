/** Bringing back what a checkpoint holds: the files of a task, its conversation up to there, or both. */
import { z } from 'zod';
import { RestoreScope } from './checkpoint.js';
import { CheckpointId, TaskId } from './ids.js';

/** Body of `POST /v1/tasks/{id}/restore`. */
export const RestoreTask = z
  .strictObject({
    checkpointId: CheckpointId.describe('A checkpoint of the workspace that the task works in.'),
    what: RestoreScope.describe(
      '`files`: the workspace. `history`: the conversation, which loses what came after the checkpoint. `both`.',
    ),
    dryRun: z.boolean().default(true).describe('Changes nothing, and says what would be changed.'),
  })
  .meta({ id: 'RestoreTask' });
export type RestoreTask = z.infer<typeof RestoreTask>;
export type RestoreTaskInput = z.input<typeof RestoreTask>;

export const RestoredPath = z
  .object({ path: z.string(), action: z.enum(['create', 'write', 'remove', 'mode']) })
  .meta({ id: 'RestoredPath' });
export type RestoredPath = z.infer<typeof RestoredPath>;

const RestoredPaths = z.object({
  count: z.int(),
  list: z.array(RestoredPath).describe('The first of them.'),
});

export const RestoredFiles = z
  .object({
    changes: RestoredPaths.describe('What is brought back.'),
    kept: RestoredPaths.describe(
      'What also differs from the checkpoint and stays: others changed it, or the checkpoint does not cover it. The action is what bringing it back would take.',
    ),
    conflicts: z
      .object({ count: z.int(), list: z.array(z.string()) })
      .describe('Changed by the task and by others, at the same place: they stay.'),
  })
  .meta({ id: 'RestoredFiles' });
export type RestoredFiles = z.infer<typeof RestoredFiles>;

export const RestoredHistory = z
  .object({
    turn: z.int().describe('The last turn that still counts.'),
    messages: z.int().describe('Later ones, which no longer belong to the conversation.'),
  })
  .meta({ id: 'RestoredHistory' });
export type RestoredHistory = z.infer<typeof RestoredHistory>;

export const RestoreView = z
  .object({
    id: z.string(),
    taskId: TaskId,
    checkpointId: z.string(),
    what: RestoreScope,
    dryRun: z.boolean(),
    state: z
      .enum(['pending', 'done', 'failed'])
      .describe('`pending`: a worker has yet to do it; no run of the task begins before that.'),
    files: RestoredFiles.nullable().describe('Null as long as nobody has looked, and without files.'),
    history: RestoredHistory.nullable(),
    before: z.string().nullable().describe('The checkpoint of the state before: restoring it undoes this.'),
    after: z.string().nullable().describe('The checkpoint of the restored state.'),
    failure: z.string().nullable(),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Restore' });
export type RestoreView = z.infer<typeof RestoreView>;
