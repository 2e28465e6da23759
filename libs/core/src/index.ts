/** The domain, pure: the agent loop, its states and decisions, and the ports that the adapters implement. */
export * from './agent-loop.js';
export { builtInProfile, modelFacts } from './task/model-facts.js';
export { type NamedProfiles, profileIssue } from './agents/profiles.js';
export { under, USUAL_AGENT } from './agents/workspace-agent.js';
export {
  changedDefinition,
  type KnownModels,
  type Refused,
  type ResolveContext,
  type Resolved,
  switchedDefinition,
  resolveTask,
} from './agents/resolve.js';
export { MAX_CUTS, cutsInARow } from './task/answer-end.js';
export { type CheckedAnswer, checkAnswer, planTodos } from './decide/answers.js';
export { schemaOf } from './task/arguments.js';
export * from './task/canonical-json.js';
export * from './task/checkpoint.js';
export { mediaExcess } from './conversation/shown-media.js';
export { mediaFacts, mediaIssue } from './context/media.js';
export type { MediaStore } from './ports/media-store.js';
export type { Surroundings } from './ports/surroundings.js';
export type {
  CheckpointRequest,
  CheckpointResult,
  MadeFrom,
  SetupEnd,
  Workspace,
} from './ports/workspace.js';
export { defineTool, failure, success } from './tools/define-tool.js';
export * from './tools/harness-tools.js';
export { CODE_TOOL_NAMES } from './tools/code-tools.js';
export type { ChangesRequest, SubtaskChanges, TakenFile } from './tools/take-changes.js';
export { ToolRegistry } from './tools/registry.js';
export { type RequestMessage, historyProblems, isThinking, withoutLastThoughts } from './task/history.js';
export { DEFAULT_LIMITS } from './task/limits.js';
export { isOnItsOwn } from './task/profile-of.js';
export { Masker, NO_SECRETS } from './masking/masker.js';
export { maskedOutcome } from './turn/masked-store.js';
export type { CountTokens } from './ports/count-tokens.js';
export * from './ports/model.js';
export * from './ports/pack-store.js';
export * from './ports/process.js';
export type { PromptLog } from './ports/prompt-log.js';
export { foreignFault, foreignHistory } from './conversation/foreign-history.js';
export { type ParsedAnswer, AnswerParser } from './conversation/native-parser.js';
export { withSettledCalls } from './conversation/provider-blocks.js';
export { withCallsInText } from './conversation/xml-parser.js';
export { type Situation, isConversation } from './decide/offer.js';
export * from './ports/command-context.js';
export { decide, judgeUnder } from './decide/policy/decide.js';
export type { PolicyCall, DecisionContext } from './decide/policy/decision.js';
export { isSecretFile, pathNames } from './decide/policy/file-names.js';
export {
  type EffectivePolicy,
  EMPTY_LAYER,
  effectivePolicy,
  policyOfLayers,
  mergeLayer,
} from './decide/policy/layers.js';
export * from './decide/policy/match-stars.js';
export * from './decide/policy/open-hosts.js';
export { protectionOf } from './decide/policy/protected-files.js';
export { rememberedRule } from './decide/policy/remember.js';
export { DEFAULT_APPROVALS, ALL_APPROVALS, APPROVAL_LEVELS } from './decide/policy/settings.js';
export {
  autonomyNotice,
  historyRestoredNotice,
  firstMessage,
  forkedImportText,
  forkedText,
  extractionRequest,
  systemPrompt,
} from './conversation/prompts.js';
export * from './decide/provider-ramp.js';
export { type ExchangeStart, rewindPoint, isAtRest, isRewindable } from './decide/rewind.js';
export { emptyStep } from './turn/draft.js';
export type { RunEnd } from './turn/run.js';
export { mayChange, withoutCheckpoints } from './turn/checkpoints.js';
export type { CommandSettings } from './ports/command-judge.js';
export * from './ports/gate.js';
export type { LoopDeps } from './ports/loop-deps.js';
export { suggestMode } from './decide/intent/suggest-mode.js';
export { type ModeProblem, machineProblems } from './decide/modes/check-machine.js';
export { IDLE, ModeMachine, rulesOf } from './decide/modes/machine.js';
export { fire, type Standing, transitionEvent, waysOut } from './decide/modes/fire.js';
export { caughtUp } from './decide/modes/fold.js';
export { movedNotice } from './conversation/mode-note.js';
export { EMPTY_CONTEXT, ModeContext, type Transition } from './task/mode-context.js';
export * from './decide/open-gate.js';
export * from './task/policy-layers.js';
export { type ServiceTerms, type ModelPrice, type PriceOf, costOf, priceFor } from './task/prices.js';

export * from './decide/step-end.js';
export type {
  UsageWrite,
  StepEnd,
  Step,
  CommitResult,
  InboxMessage,
  TaskStore,
  WorkInHand,
} from './ports/store.js';
export {
  type Lease,
  type TaskRecord,
  type StoredMessage,
  type ToolCallRecord,
  type ModelCallRecord,
  type TaskSnapshot,
  type NewInteraction,
  type InteractionRecord,
  type NewChild,
  type WaitMode,
  type WaitSpec,
  type ChildOutcome,
  type TaskOutcome,
  isSatisfied,
} from './task/task.js';
export * from './decide/task-retry.js';
export * from './task/task-state.js';
export { preview, OUTPUT_CAP } from './task/text.js';
export type {
  ToolOutcome,
  ToolContext,
  PathPlace,
  TouchedPath,
  CallFacts,
  BoundCall,
  Tool,
} from './ports/tool.js';
