/** Workspaces: where a task's files live, what may be touched there, and how commands run in them. */
export { letThrough, nobodyUser, prepareHome, type CommandUser } from './sandbox/command-user.js';
export {
  locate,
  resolveForReading,
  resolveForWriting,
  type InsidePath,
  type Refusal,
  type Resolution,
} from './confine.js';
export { commandFacts } from './command-facts.js';
export { compileGlob, expandBraces, globMatches } from './glob.js';
export { trackedFiles } from './git-paths.js';
export { HiddenPaths } from './hidden-paths.js';
export { decidedBy, IgnoreRules, parseIgnoreFile, type IgnoreRule } from './ignore-rules.js';
export { openForReading, writeFileInside, type OpenedFile } from './open-inside.js';
export { BACKGROUND_LIMIT_MS, HeldProcess } from './processes/held-process.js';
export { endLeft } from './processes/left-processes.js';
export { diskUse } from './disk-use.js';
export { removeTree } from './remove-tree.js';
export { isSuccess, type ProcessReport } from './processes/process-report.js';
export { Processes } from './processes/processes.js';
export { maskedBytes, maskedPage } from './processes/masked-output.js';
export { KeptOutput } from './processes/read-output.js';
export { screenText } from './processes/screen-text.js';
export { shownOutput } from './processes/shown-output.js';
export { projectKey, projectKeyOf } from './project-key.js';
export {
  inheritedName,
  patternProblem,
  ripgrepMessages,
  type RipgrepLine,
  type RipgrepMessage,
  type RipgrepRun,
  type RipgrepText,
} from './ripgrep.js';
export { runCommand, type CommandResult, type CommandSpec } from './processes/run-command.js';
export { MachineSurroundings } from './briefing/surroundings.js';
export { agentFilesIn } from './briefing/agent-files.js';
export { readPage } from './network/read-page.js';
export { hostGate } from './network/host-gate.js';
export { sandboxCandidates } from './sandbox/candidates.js';
export { chooseSandbox } from './sandbox/choose.js';
export { startCost } from './sandbox/start-cost.js';
export { proveSandbox, type SandboxProof } from './sandbox/prove.js';
export { type BoxSpec, type ProcessAnchor, type Sandbox, type SandboxLevel } from './sandbox/sandbox.js';
export { unboxed } from './sandbox/unboxed.js';
export { wholeChars } from './processes/whole-chars.js';
export { entryNames, SteadyFolder } from './steady-folder.js';
export { walk, type WalkEntry } from './walk.js';
export {
  lookOfRefs,
  packRepository,
  placeRepository,
  readRepository,
  unpackRepository,
  type CarriedRepository,
} from './git/carried-repository.js';
export { GitWorkspaces } from './git/git-workspaces.js';
export { WorkspaceManager, workspaceLost, type PreparedWorkspace } from './workspaces.js';
export { removeWorkspace, WorkspaceRemoval } from './workspace-removal.js';
