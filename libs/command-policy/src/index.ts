/** Judges command lines: what may run without asking. */
export { explainVerdict } from './explain.js';
export { judgeCommand } from './judge-command.js';
export { lexicalContext, type LexicalFacts } from './lexical-context.js';
export { policyForTrial, textOnly, tryCommand } from './try-command.js';
export { RULE_IDS, type RuleId } from './rules.js';
export {
  DEFAULT_COMMAND_POLICY,
  type CommandContext,
  type CommandDecision,
  type CommandPart,
  type CommandPolicySettings,
  type CommandVerdict,
  type PathPlace,
  type Span,
} from './types.js';
