/** Judges command lines: what may run without asking. */
export { explainVerdict } from './explain.js';
export { judgeCommand } from './judge-command.js';
export { policyForTrial, textOnly, tryCommand } from './try-command.js';
export { type CommandContext, type PathPlace } from './types.js';
