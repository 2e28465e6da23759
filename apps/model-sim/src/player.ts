/** Finds the script for a request and asks it for its reply. */
import type { AgentTurn } from './agent-turn.js';
import { invalidRequest } from './api-error.js';
import { ScriptError, type AgentScript, type Reply, type Scenario } from './scenario.js';
import { answerWithoutTools, genericAgent } from './scenarios/generic-agent.js';
import { minimalValue } from './scenarios/minimal-value.js';
import { recordOf } from './scenarios/record.js';

interface Part {
  script: AgentScript;
  record: AgentScript;
  scenario: string;
}

/**
 * The reply to a turn. The first scenario that names the agent plays it, else the first one with a default, else the
 * built-in generic agent. Throws `ApiError` (400) that names scenario, agent and turn when the script has nothing to say.
 */
export function replyTo(turn: AgentTurn, scenarios: readonly Scenario[]): Reply {
  const { script, record, scenario } = partFor(turn.agent, scenarios);
  const reply = perform(turn.wantsRecord ? record : script, scenario, turn);
  const hasCalls = (reply.toolCalls ?? []).length > 0;
  if (hasCalls && turn.toolChoice.type === 'none') return inFormat(answerWithoutTools(turn), turn);
  const hasBlocks = (reply.blocks ?? []).length > 0;
  if (!hasCalls && !hasBlocks && (reply.text ?? '') === '' && reply.fault === undefined) {
    throw nothingToSay(scenario, turn, 'the reply has neither text nor tool calls');
  }
  return hasCalls ? reply : inFormat(reply, turn);
}

/** A script that answers in JSON knows what is wanted; for any other the smallest value that fits is made. */
function inFormat(reply: Reply, { outputSchema }: AgentTurn): Reply {
  if (outputSchema === undefined || reply.text === undefined || isJson(reply.text)) return reply;
  return { ...reply, text: JSON.stringify(minimalValue(outputSchema)) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function partFor(agent: string, scenarios: readonly Scenario[]): Part {
  const named = scenarios.find(({ agents }) => Object.hasOwn(agents, agent));
  const script = named?.agents[agent];
  if (named !== undefined && script !== undefined) return partOf(named, script);
  const fallback = scenarios.find((scenario) => scenario.default !== undefined);
  if (fallback?.default !== undefined) return partOf(fallback, fallback.default);
  return partOf({ name: 'generic' }, genericAgent);
}

function partOf({ name, record = recordOf }: Pick<Scenario, 'name' | 'record'>, script: AgentScript): Part {
  return { script, record, scenario: name };
}

function perform(script: AgentScript, scenario: string, turn: AgentTurn): Reply {
  try {
    return script(turn);
  } catch (error) {
    if (error instanceof ScriptError) throw nothingToSay(scenario, turn, error.message, error);
    throw nothingToSay(scenario, turn, `the script failed: ${String(error)}`, error);
  }
}

function nothingToSay(
  scenario: string,
  { agent, turnIndex }: AgentTurn,
  why: string,
  cause?: unknown,
): Error {
  return invalidRequest(`model-sim: scenario "${scenario}", agent "${agent}", turn ${turnIndex}: ${why}`, {
    cause,
  });
}
