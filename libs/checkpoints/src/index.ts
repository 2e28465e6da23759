/** Checkpoints: the states of a workspace, kept in a store of our own, so that any machine can show, compare and restore them. */
export {
  Checkpoints,
  DEFAULT_BUDGET,
  type Budget,
  type CheckpointsOptions,
  type TakeRequest,
} from './checkpoints.js';
export { type ChangedFile, type Diffstat, type FileStatus } from './diff.js';
export { bytePath, shownPath, type BytePath } from './files/byte-path.js';
export { type LeftOut, type LeftOutReason } from './files/left-out.js';
export { DEFAULT_MAX_FILE_BYTES, type Coverage } from './files/scan.js';
export { GitFailed, GitProgram, type GitInput, type GitRun } from './git-program.js';
export { versionsOf } from './merge/versions.js';
export { withLock } from './lock.js';
export { besideName, putBeside } from './merge/beside.js';
export { commitBranch, type BranchRequest, type BranchResult } from './merge/commit-branch.js';
export {
  conflictsOf,
  mergeInto,
  previewMerge,
  UnrelatedFolder,
  type Incoming,
  type MergeTarget,
} from './merge/merge.js';
export { type Conflict, type ConflictReason, type Outcome, type Sides } from './merge/outcome.js';
export {
  differences,
  listingOf,
  type Difference,
  type Entry,
  type Listed,
  type Listing,
} from './objects/listing.js';
export { archiveOf } from './objects/archive.js';
export { EMPTY_TREE, ShadowRepository, type ShadowOptions, type Trees } from './objects/shadow-repository.js';
export { ObjectsMissing } from './packs/checkpoint-packs.js';
export { packOf, takePack } from './packs/pack-of.js';
export { FolderPackStore } from './packs/folder-pack-store.js';
export { packStoreAt } from './packs/pack-store-at.js';
export { QuotaPacks } from './packs/quota-packs.js';
export { MemoryPackStore } from './packs/memory-pack-store.js';
export { type Applied, type Left, type Owner } from './restore/apply.js';
export {
  type Finished,
  type RestorePreview,
  type RestoreRequest,
  type RestoreResult,
  type RestoredPath,
  type StepCommits,
} from './restore/restoring.js';
export {
  type Degraded,
  type DegradedReason,
  type Taken,
  type TakeResult,
  type Unchanged,
} from './take-result.js';
