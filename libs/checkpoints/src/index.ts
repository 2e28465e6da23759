/** Checkpoints: the states of a workspace, kept in a store of our own, so that any machine can show, compare and restore them. */
export { GitFailed, GitProgram, type GitInput, type GitRun } from './git-program.js';
