/**
 * What a scenario is: scripted agents by name. A script is a pure function of the request, so that any worker, after any
 * crash, is given the same continuation; it may keep no state and read no clock.
 */
import type { AgentTurn } from './agent-turn.js';
import type { Fault } from './faults/fault.js';
import type { ScenarioLimits } from './rate-limits.js';

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

/** What a scripted agent answers with. Everything is optional, but text or a tool call must be there (or a fault). */
export interface Reply {
  /** Thinking in front of the answer; signed by the simulator. */
  thinking?: string | undefined;
  /** Blocks of any kind behind the first thinking, served as they are: what the API's own tools did, texts with citations. Thinking among them is signed. */
  blocks?: readonly Record<string, unknown>[] | undefined;
  text?: string | undefined;
  /** Calls in the order given; their ids are made by the simulator. */
  toolCalls?: readonly ToolCall[] | undefined;
  /** @defaultValue `tool_use` with tool calls, else `end_turn` */
  stopReason?: string | undefined;
  /** Time before the first byte in addition to the usual pacing, in milliseconds; scaled by `--speed`. */
  delayMs?: number | undefined;
  /** Overrides of the estimated token counts. */
  usage?: UsageOverride | undefined;
  fault?: Fault | undefined;
}

export interface UsageOverride {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cache_read_input_tokens?: number | undefined;
  cache_creation_input_tokens?: number | undefined;
  /** How often the API's own tools were used. */
  server_tool_use?: Record<string, number> | undefined;
}

/** Plays one agent. May throw `ScriptError` when it has nothing to say; that is answered with status 400. */
export type AgentScript = (turn: AgentTurn) => Reply;

export interface Scenario {
  name: string;
  description?: string | undefined;
  /** By the name on the `Agent: <name>` line of the system prompt. */
  agents: Readonly<Record<string, AgentScript>>;
  /** Plays agents that no scenario names. */
  default?: AgentScript | undefined;
  /** Sums up conversations of these agents when their harness asks for that. @defaultValue a record with the facts that were said or read */
  record?: AgentScript | undefined;
  limits?: ScenarioLimits | undefined;
}

/** Gives the scenario back; there for its types, in scenario files written by hand. */
export function defineScenario(scenario: Scenario): Scenario {
  return scenario;
}

/** A script has nothing to say to this request. The message reaches the client; say what was expected. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}
