/** Scenarios written as JSON: a list of replies for each agent, one a turn. */
import { z } from 'zod';
import type { AgentTurn } from './agent-turn.js';
import { Fault } from './faults/fault.js';
import { ScenarioLimits } from './rate-limits.js';
import { ScriptError, type AgentScript, type Reply, type Scenario } from './scenario.js';
import { plural } from './scenarios/plural.js';

const tokens = z.number().int().nonnegative();

const fields = {
  thinking: z.string().min(1).optional(),
  text: z.string().min(1).optional(),
  blocks: z.array(z.looseObject({ type: z.string().min(1) })).optional(),
  toolCalls: z
    .array(z.strictObject({ name: z.string().min(1), input: z.record(z.string(), z.unknown()) }))
    .optional(),
  stopReason: z.string().min(1).optional(),
  delayMs: z.number().nonnegative().optional(),
  usage: z
    .strictObject({
      input_tokens: tokens.optional(),
      output_tokens: tokens.optional(),
      cache_read_input_tokens: tokens.optional(),
      cache_creation_input_tokens: tokens.optional(),
      server_tool_use: z.record(z.string(), tokens).optional(),
    })
    .optional(),
  fault: Fault.optional(),
};
const saysSomething = ({ text, toolCalls = [], blocks = [], fault }: z.infer<z.ZodObject<typeof fields>>) =>
  text !== undefined || toolCalls.length > 0 || blocks.length > 0 || fault?.times === 'always';
const NOTHING = { message: 'a reply needs text, toolCalls or blocks (or a fault with times "always")' };

const JsonReply = z
  .strictObject({
    ...fields,
    /** Said after a `pause_turn`, one each time that the turn is sent back. */
    afterPause: z.array(z.strictObject(fields).refine(saysSomething, NOTHING)).optional(),
  })
  .refine(saysSomething, NOTHING);

const JsonAgent = z.strictObject({
  replies: z.array(JsonReply).min(1),
  /** Answered, as JSON text, when the client forbids tools and asks for the final result. */
  extraction: z.unknown().optional(),
});
type JsonAgent = z.infer<typeof JsonAgent>;

const JsonScenario = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  agents: z.record(z.string().min(1), JsonAgent),
  default: JsonAgent.optional(),
  /** Answered when the harness wants a record of a conversation that has become too long. */
  record: z.string().min(1).optional(),
  limits: ScenarioLimits.optional(),
});

/**
 * Checks a parsed JSON scenario and makes it playable.
 * Throws an `Error` that names `source` and every field that is wrong.
 */
export function parseJsonScenario(json: unknown, source: string): Scenario {
  const parsed = JsonScenario.safeParse(json);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `  ${path.join('.') || '(top level)'}: ${message}`,
    );
    throw new Error(`Scenario ${source} is not valid:\n${problems.join('\n')}`);
  }
  const { agents, default: fallback, record, ...about } = parsed.data;
  return {
    ...about,
    agents: Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, scriptOf(agent)])),
    default: fallback && scriptOf(fallback),
    ...(record === undefined ? {} : { record: (turn) => fill({ text: record }, turn) as Reply }),
  };
}

/** Reply number = turn number; the last one repeats when it calls no tools, as the agent would then go on for ever. */
function scriptOf({ replies, extraction }: JsonAgent): AgentScript {
  return (turn) => {
    if (turn.toolChoice.type === 'none' && extraction !== undefined)
      return { text: JSON.stringify(extraction) };
    const last = replies.at(-1);
    const begun = replies[turn.turnIndex] ?? ((last?.toolCalls ?? []).length === 0 ? last : undefined);
    const reply = turn.pauses === 0 ? begun : (begun?.afterPause?.[turn.pauses - 1] ?? begun);
    if (reply === undefined) {
      throw new ScriptError(
        `the scenario has ${plural(replies.length, 'reply', 'replies')} and the last one calls tools, so there is no next reply`,
      );
    }
    return fill(reply, turn) as Reply;
  };
}

/** Replaces `{{prompt}}` and `{{lastResult}}` in every string of a JSON value. */
function fill(value: unknown, turn: AgentTurn): unknown {
  if (typeof value === 'string') {
    return value.replace(/\{\{(prompt|lastResult)\}\}/g, (_match, name: string) =>
      name === 'prompt' ? turn.prompt : (turn.lastToolResults.at(-1)?.text ?? ''),
    );
  }
  if (Array.isArray(value)) return value.map((member) => fill(member, turn));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, turn)]));
}
