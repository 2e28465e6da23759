/** Where the files of a task tree come from. */
import { z } from 'zod';
import { CheckpointId } from './ids.js';

/** Written out as it is, so that nobody reads another host in it than we do. */
const ADDRESS = /^(https?|file):\/\/[!-[\]-~]+$/;

/**
 * What is wrong with the address of a repository, as the end of a sentence; null when it can be used. It never repeats the address, which
 * may hold a password.
 */
export function faultOfGitUrl(text: string): string | null {
  // Said apart from the rest: it is what people paste first.
  if (/^(ssh:|[^/:@\s]+@[^/:\s]+:)/.test(text))
    return 'ssh is not supported; give the https address of the repository';
  const url = ADDRESS.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null)
    return 'it must be the https address of a repository, like https://github.com/acme/shop.git';
  if (url.username !== '' || url.password !== '')
    return 'it must hold no user and no password: credentials belong in the setting GIT_CREDENTIALS of the installation';
  if (url.search !== '' || url.hash !== '') return 'it must have no query and no fragment';
  if ((url.protocol === 'file:') !== (url.hostname === ''))
    return url.protocol === 'file:'
      ? 'a file address names no host: file:///srv/shop.git'
      : 'it names no host';
  return url.pathname.length > 1 ? null : 'it must name a repository, not only its host';
}

/** Names as git allows them; what is more than a name (a range, an expression, an option) is refused. */
const REF = /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)))[^\x00-\x20\x7f~^:?*[\\]+(?<![/.])$/; // eslint-disable-line no-control-regex

/** Address of a repository, without credentials. */
const GitUrl = z
  .string()
  .max(2_000)
  .superRefine((text, context) => {
    const message = faultOfGitUrl(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** A branch, a tag, a commit, or the full name of a ref. */
const GitRef = z
  .string()
  .max(250)
  .regex(REF, 'must be the name of a branch or a tag, the id of a commit, or the full name of a ref');

/** Of every kind. */
const setup = z
  .string()
  .trim()
  .min(1)
  .max(32_000)
  .optional()
  .describe(
    'A command that runs in each copy of the workspace before the agent works there, like `npm ci`: when it was made, and when it was made anew.',
  );
const Empty = z.strictObject({ kind: z.literal('empty'), setup });
const Git = z.strictObject({
  kind: z.literal('git'),
  url: GitUrl.describe('Address of the repository, without credentials: the installation has them.'),
  ref: GitRef.optional().describe(
    'Branch, tag, commit, or full name of a ref; by default the branch that the repository has as its HEAD.',
  ),
  setup,
});
const Path = z.strictObject({
  kind: z.literal('path'),
  path: z.string().min(1).max(4_096),
  copy: z
    .boolean()
    .default(true)
    .describe('False works in the folder itself, if the installation allows it.'),
  setup,
});
const Fork = z.strictObject({
  kind: z.literal('fork'),
  checkpointId: CheckpointId.describe('Of any task of the tenant: its files are what the work begins with.'),
  setup,
});

/**
 * Where the task's files come from. `git` is a clone of its own; `path` with `copy` works on a copy of what is not ignored there, and without
 * it in place; `fork` begins with the files of a checkpoint.
 */
export const WorkspaceSpec = z
  .discriminatedUnion('kind', [Empty, Git, Path, Fork])
  .meta({ id: 'WorkspaceSpec' });
export type WorkspaceSpec = z.infer<typeof WorkspaceSpec>;

/** What work began with before anybody forked it. */
export const WorkspaceOrigin = z
  .discriminatedUnion('kind', [Empty, Git, Path])
  .meta({ id: 'WorkspaceOrigin' });
export type WorkspaceOrigin = z.infer<typeof WorkspaceOrigin>;

/** A task's workspace as it is stored. `history`: the conversation up to the checkpoint came along. */
export const TaskWorkspace = z
  .discriminatedUnion('kind', [
    Empty,
    Git,
    Path,
    Fork.extend({ history: z.boolean(), origin: WorkspaceOrigin }),
  ])
  .meta({ id: 'TaskWorkspace' });
export type TaskWorkspace = z.infer<typeof TaskWorkspace>;

/** What the work began with, before any fork. */
export function originOf(workspace: TaskWorkspace): WorkspaceOrigin {
  return workspace.kind === 'fork' ? workspace.origin : workspace;
}

/** The folder of the machine that the work began with; null when it began elsewhere. */
export function folderOf(workspace: TaskWorkspace): string | null {
  const origin = originOf(workspace);
  return origin.kind === 'path' ? origin.path : null;
}

const kinds = WorkspaceSpec.options.map((option) => option.shape.kind.value);

/** A workspace that is a clone. */
export type GitSpec = Extract<WorkspaceOrigin, { kind: 'git' }>;

/** How the setup command of a workspace ended. `refused`: it did not run. */
export const SetupState = z.enum(['done', 'failed', 'refused']);
export type SetupState = z.infer<typeof SetupState>;

/**
 * `open`: a run works in it. `kept`: it lies on a machine whose workers run. `away`: on one whose workers do not run. `removed`: it lies nowhere,
 * and is made anew when its work goes on.
 */
const WorkspaceState = z.enum(['open', 'kept', 'away', 'removed']);

export const WorkspaceView = z
  .object({
    id: z.string().describe('The task whose workspace it is: a root, or a subtask that has one of its own.'),
    rootId: z.string(),
    title: z.string().describe('Of that task.'),
    kind: z
      .enum([...kinds, 'subtask'])
      .describe(
        "Where its files came from; `subtask`: from the parent's as they were when that subtask began.",
      ),
    inPlace: z.boolean().describe('It is a folder of the machine itself, not a copy.'),
    state: WorkspaceState,
    keptUntil: z.iso
      .datetime()
      .nullable()
      .describe('When its worker removes it, as its work has ended. Null: that is not settled.'),
    canRebuild: z.boolean().describe('Its files can be made anew on any machine.'),
    unsaved: z.boolean().describe('Something was changed in it that no checkpoint holds.'),
    host: z.string().nullable().describe('The machine that it is on.'),
    workerId: z.string().nullable().describe('A worker there: one that runs, or the last that did.'),
    diskBytes: z
      .int()
      .nullable()
      .describe(
        'On that machine, with what commands and checkpoints keep beside it, when a worker looked last. Null: not on one, not measured yet, or in place.',
      ),
    measuredAt: z.iso.datetime().nullable(),
    storedBytes: z
      .int()
      .nullable()
      .describe(
        'Its checkpoints and those of its subtasks in the store. Null for a subtask: they are with its root.',
      ),
    lastUsedAt: z.iso.datetime().describe('When a run last opened it.'),
  })
  .meta({ id: 'Workspace' });
export type WorkspaceView = z.infer<typeof WorkspaceView>;

export const WorkspaceTotals = z.object({
  workspaces: z.int(),
  onDisk: z.int().describe('So many of them lie on a machine as folders of their own.'),
  diskBytes: z.int().describe('Of those that have been measured.'),
  storedBytes: z.int(),
});
export type WorkspaceTotals = z.infer<typeof WorkspaceTotals>;

export const WorkspacePage = z
  .object({
    data: z.array(WorkspaceView),
    totals: WorkspaceTotals.describe('Of all, not only of this page.'),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
  })
  .meta({ id: 'WorkspacePage' });
export type WorkspacePage = z.infer<typeof WorkspacePage>;
