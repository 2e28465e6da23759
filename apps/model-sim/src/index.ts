export { startModelSim, type ModelSim, type ModelSimOptions } from './start-model-sim.js';
export {
  defineScenario,
  ScriptError,
  type AgentScript,
  type Reply,
  type Scenario,
  type ToolCall,
  type UsageOverride,
} from './scenario.js';
export type { AgentTurn, ToolResultView } from './agent-turn.js';
export { parseJsonScenario } from './json-scenario.js';
export { loadScenario } from './load-scenarios.js';
export { builtInScenarios } from './scenarios/built-in.js';
export { genericAgent } from './scenarios/generic-agent.js';
export type { Fault, FaultKind } from './faults/fault.js';
export type { QueuedFault } from './faults/fault-plan.js';
export type { RequestLogEntry } from './request-log.js';
export type { Speed } from './reply/write-stream.js';
export {
  blocksOf,
  type ContentBlock,
  type Message,
  type MessagesRequest,
  type ToolChoice,
  type ToolDefinition,
  type Usage,
} from './wire.js';
export { signThinking } from './thinking-signature.js';
export { checkedRequest } from './checked-request.js';
