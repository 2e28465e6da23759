/** take_changes: brings what an isolated subtask changed into its parent's workspace. Files are the port's business. */
import { isTerminal } from '@bullpen/contracts';
import { z } from 'zod';
import type { Tool, ToolContext, ToolOutcome, TouchedPath } from '../ports/tool.js';
import { TAKE_CHANGES } from '../task/subtasks.js';
import { defineTool, failure, success } from './define-tool.js';

/** Whose changes are wanted, and where. */
export interface ChangesRequest {
  readonly parent: Pick<ToolContext, 'task' | 'workspacePath' | 'epoch'>;
  readonly childId: string;
  /** Files, or folders with all that is in them; empty: everything. */
  readonly paths: readonly string[];
}

/** What became of one file. */
export interface TakenFile {
  readonly path: string;
  /** `merged`: with the parent's own changes in it; `there`: it was so already; `conflict`: it stays as it was. */
  readonly result: 'taken' | 'merged' | 'there' | 'conflict';
  /** Of a conflict: why, the lines of both versions where there are any, and where the subtask's version has been put. */
  readonly why?: string;
  readonly versions?: string;
  readonly theirs?: string;
}

/** Port: the changes of isolated subtasks. Null: this one has no workspace of its own. */
export interface SubtaskChanges {
  /** What `take` would write, and the subtask's changes as a unified diff. Changes nothing. */
  preview(
    request: ChangesRequest,
  ): Promise<{ readonly paths: readonly TouchedPath[]; readonly diff: string } | null>;
  /** Merges three ways. Nothing of the parent's is overwritten; doing it again finds all there. */
  take(request: ChangesRequest, signal: AbortSignal): Promise<readonly TakenFile[] | null>;
}

const input = z.strictObject({
  taskId: z.string().describe('Id of your subtask.'),
  paths: z
    .array(z.string().min(1))
    .max(1_000)
    .default([])
    .describe('Only these files or folders, as the changes of the subtask list them. Without this: all.'),
});

/** The tool. @param changes null: there are none to be had. */
export function takeChanges(changes: SubtaskChanges | null): Tool {
  return defineTool({
    name: TAKE_CHANGES,
    description:
      'Brings the files that an isolated subtask has changed into your folder, once it has ended. Your own changes since then are kept: where both have changed ' +
      'different lines of a file, it gets both. A file in which both have changed the same lines is a conflict: yours stays as it is, and the version of the subtask is put beside it.',
    group: 'write',
    resume: 'repeat',
    input,
    inspect: async (args, context) => {
      const preview = await changes?.preview(requestOf(args, context));
      return { paths: preview?.paths ?? [] };
    },
    preview: async (args, context) => (await changes?.preview(requestOf(args, context)))?.diff,
    run: async (args, context, signal) => {
      const [child] = await context.children([args.taskId]);
      if (child === undefined) return failure(`${args.taskId} is not a subtask of this task.`);
      if (!isTerminal(child.state))
        return failure(`The subtask ${args.taskId} has not ended yet: wait for it first.`);
      const files = (await changes?.take(requestOf(args, context), signal)) ?? null;
      if (files === null)
        return failure(
          `The subtask ${args.taskId} had no files of its own: what it changed is in your folder already.`,
        );
      return outcomeOf(files);
    },
  });
}

function requestOf({ taskId, paths }: z.output<typeof input>, context: ToolContext): ChangesRequest {
  return { parent: context, childId: taskId, paths };
}

/** So many are named of those that are well. */
const MOST_NAMED = 200;

function outcomeOf(files: readonly TakenFile[]): ToolOutcome {
  if (files.length === 0) return success('There is nothing to take.');
  const named = (result: TakenFile['result'], title: string): string[] => {
    const paths = files.filter((file) => file.result === result).map(({ path }) => path);
    const more = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : '';
    return paths.length === 0
      ? []
      : [`${title} (${paths.length}): ${paths.slice(0, MOST_NAMED).join(', ')}${more}`];
  };
  const conflicts = files.filter(({ result }) => result === 'conflict');
  return success(
    [
      ...named('taken', 'Taken'),
      ...named('merged', 'Merged with your own changes'),
      ...named('there', 'The same in your folder already'),
      ...(conflicts.length > 0
        ? [`Conflicts (${conflicts.length}); your files are as they were:`, ...conflicts.map(conflictText)]
        : []),
    ].join('\n'),
  );
}

function conflictText({ path, why = '', versions, theirs }: TakenFile): string {
  const beside =
    theirs === undefined
      ? ''
      : ` The subtask's version is in ${theirs}: bring into ${path} what is needed, then delete it.`;
  return `- ${path}: ${why}${beside}${versions === undefined ? '' : `\n${versions}`}`;
}
