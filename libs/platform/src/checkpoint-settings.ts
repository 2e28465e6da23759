/** Settings of what is stored of workspaces, where, and for how long. */
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { flag, int } from './env.js';

/** Of a worker. */
export const keepingShape = {
  CHECKPOINTS: flag()
    .prefault('on')
    .describe(
      'Whether the files of tasks are stored as they change, so that they can be moved and restored.',
    ),
  CHECKPOINT_MAX_MS: int({ min: 100, max: 3_600_000 })
    .prefault('60000')
    .describe('Longest time for one checkpoint, in ms; one that takes longer is left out.'),
  CHECKPOINT_MAX_BYTES: int({ min: 1_024, max: 1_099_511_627_776 })
    .prefault('2147483648')
    .describe('Most new content of one checkpoint, in bytes; one with more is left out.'),
  CHECKPOINT_TREE_BYTES: int({ min: 1, max: 999_999_999_999_999 })
    .optional()
    .describe(
      'Most bytes that are stored of one task tree; then no more checkpoints of it are taken. Without it, any.',
    ),
  CHECKPOINT_TOTAL_BYTES: int({ min: 1, max: 999_999_999_999_999 })
    .optional()
    .describe(
      'Most bytes that are stored of all tasks. Over it, checkpoints of ended tasks are thinned out, and until that helps no more are taken.',
    ),
  CHECKPOINT_KEEP_DAYS: int({ min: 0, max: 36_500 })
    .optional()
    .describe(
      'Days after which only the first and the last checkpoint of an ended task are kept. Without it, all are kept.',
    ),
  WORKSPACE_KEEP_HOURS: int({ min: 0, max: 876_000 })
    .optional()
    .describe(
      'Hours after which the folders of ended tasks are removed from disk, if their files are stored as a checkpoint. Without it, they are kept.',
    ),
};

/** Of all processes. */
export function checkpointStore() {
  return z
    .string()
    .transform(parseCheckpointStore)
    .prefault('postgres')
    .describe(
      'Where checkpoints are stored: `postgres`, or `file:/shared/folder`, a folder that all workers and gateways can reach.',
    );
}

function parseCheckpointStore(
  text: string,
  context: z.RefinementCtx<string>,
): 'postgres' | { readonly folder: string } {
  if (text === 'postgres') return text;
  const folder = /^file:(.*)$/.exec(text)?.[1];
  if (folder !== undefined && isAbsolute(folder)) return { folder: resolve(folder) };
  context.addIssue('must be postgres, or file: and an absolute path');
  return z.NEVER;
}
