/** Schemas and types of everything that crosses a boundary. Browser-safe; zod only. */
export {
  Limits,
  RetryPolicy,
  DEFAULT_RETRY,
  AgentDefinition,
  AGENTS_FOLDER,
  GivenAgentFile,
} from './agent.js';
export * from './autonomy.js';
export * from './briefing.js';
export * from './bulk.js';
export * from './api.js';
export { ContextSize } from './context.js';
export * from './did-you-mean.js';
export * from './checkpoint.js';
export * from './error.js';
export {
  DurableEventBody,
  TaskEvent,
  EventPage,
  DeltaEvent,
  type LiveDelta,
  type BusMessage,
  type CommitEffects,
} from './event.js';
export { inexactNumber } from './exact-json.js';
export * from './failure.js';
export * from './host-entry.js';
export * from './identity.js';
export * from './ids.js';
export { ForkTask, ImportTask, MAX_IMPORT_BYTES } from './import.js';
export * from './interaction.js';
export * from './job.js';
export { Json, JsonSchema } from './json.js';
export { MediaType, MediaDigest, Media, MAX_MEDIA_BYTES, CreateAttachment, mediaText } from './media.js';
export { ContentBlock, MessageRole, ApiMessageView, Reduction } from './message.js';
export { Effort, ModelProfile, ModelRoute, ProfilePrice } from './model-profile.js';
export * from './money.js';
export {
  RaisableLimit,
  NextAction,
  type NextActionTable,
  ActionRequest,
  ToldAction,
  tellAction,
  actionText,
} from './next-action.js';
export {
  ToolGroup,
  ApprovalSettings,
  ApprovalLevel,
  PolicyRules,
  NO_RULES,
  ANY_COMMAND,
  AskPolicy,
  DEFAULT_ASKS,
  PolicyScope,
  PolicyLayer,
  CommandPartView,
} from './policy.js';
export * from './plural.js';
export * from './policy-api.js';
export { ProcessState, ProcessView, ProcessPage, OutputQuery, ProcessOutput } from './process.js';
export * from './queue.js';
export * from './restore.js';
export { sandboxText } from './sandbox.js';
export * from './saved-view.js';
export * from './search.js';
export {
  CreateShare,
  ExportFormat,
  ExportQuery,
  MaskedPlace,
  NewShare,
  SharedEventsQuery,
  SharedTree,
  ShareList,
  SharePreview,
  ShareView,
  TaskExport,
  type CreateShareInput,
} from './share.js';
export * from './steering.js';
export * from './system.js';
export { systemProblem } from './system-error.js';
export * from './task.js';
export * from './task-filter.js';
export * from './tenant.js';
export * from './text.js';
export { isStorableTime } from './time.js';
export * from './timeline.js';
export * from './tree-summary.js';
export { ApprovalDecision, ToolCallView, ModelCallBodies, ModelCallView } from './tool-call.js';
export * from './usage.js';
export * from './webhook.js';
export {
  faultOfGitUrl,
  folderOf,
  originOf,
  SetupState,
  TaskWorkspace,
  WorkspacePage,
  WorkspaceSpec,
  WorkspaceTotals,
  WorkspaceView,
  type GitSpec,
  type WorkspaceOrigin,
} from './workspace.js';
export {
  FireTrigger,
  ModeAsks,
  ModeCondition,
  ModeDefinition,
  ModeName,
  ModeRule,
  ModeSuggestion,
  SuggestMode,
  TransitionRow,
  TransitionsView,
  WorkMachine,
  Workflow,
} from './work-mode.js';
