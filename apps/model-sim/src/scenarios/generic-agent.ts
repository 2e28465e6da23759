/** The agent that answers when no scenario knows the name: polite, short, and clear about not being a model. */
import type { AgentTurn } from '../agent-turn.js';
import type { Reply, ToolCall } from '../scenario.js';
import type { ToolDefinition } from '../wire.js';
import { minimalValue, type JsonSchema } from './minimal-value.js';
import { hasPeople, outcomesOf, peopleAgent, stepAlone, wordsFor } from './people-agent.js';
import { parseListing } from './tool-output.js';
import { plural } from './plural.js';

const LABEL = '(simulated: this answer comes from the Bullpen model simulator, not from Claude)';

/** Calls whose outcome the summary tells. */
const DONE_ALONE = ['write_file', 'run_command'];

/** Plays any task: looks at the files once if it can, writes or runs what it is told to, says what came of it, completes. */
export function genericAgent(turn: AgentTurn): Reply {
  const { toolChoice } = turn;
  if (toolChoice.type === 'none') return answerWithoutTools(turn);
  if (toolChoice.type === 'tool' && hasPeople(turn) && toolChoice.name === 'present_plan')
    return peopleAgent(turn);
  if (toolChoice.type === 'tool') return { toolCalls: [forcedCall(turn.tool(toolChoice.name ?? ''))] };
  if (hasPeople(turn)) return peopleAgent(turn);
  if (
    turn.tool('list_files') !== undefined &&
    !turn.allToolResults.some(({ name }) => name === 'list_files')
  ) {
    const text = `Hello! ${LABEL} You asked: ${quote(turn.prompt)} Let me look at the files first.`;
    return { text, toolCalls: [{ name: 'list_files', input: { path: '.' } }] };
  }
  if (turn.lastToolResults.some(({ name, isError }) => name === 'complete_task' && !isError))
    return { text: `Done. ${LABEL}` };
  const step = stepAlone(turn);
  if (step !== undefined) return { text: wordsFor(step), toolCalls: [step] };
  const summary = summaryOf(turn);
  const completion = completionCall(turn.tool('complete_task'), summary);
  if (completion !== undefined) return { text: summary, toolCalls: [completion] };
  return toolChoice.type === 'any'
    ? { text: summary, toolCalls: [forcedCall(turn.tools[0])] }
    : { text: summary };
}

/**
 * The answer to a request that forbids tools. When the last user text has a JSON schema in a fenced json block, a minimal
 * value of it as JSON text; else a short text.
 */
export function answerWithoutTools(turn: AgentTurn): Reply {
  const schema = schemaIn(turn.lastUserText);
  return schema === undefined
    ? { text: summaryOf(turn) }
    : { text: JSON.stringify(minimalValue(schema), null, 2) };
}

function summaryOf(turn: AgentTurn): string {
  const seen = turn.allToolResults.find(({ name }) => name === 'list_files');
  const question = turn.lastUserText === turn.prompt ? turn.prompt : turn.lastUserText;
  return [
    `Hello! ${LABEL}`,
    `The task was: ${quote(question)}`,
    ...(seen === undefined ? [] : [sawText(seen.text, seen.isError)]),
    ...outcomesOf(turn.allToolResults.filter(({ name }) => DONE_ALONE.includes(name))),
  ].join('\n\n');
}

function sawText(text: string, isError: boolean): string {
  if (isError) return `I could not list the files: ${quote(text)}`;
  const listing = parseListing(text);
  if (listing === undefined) return 'I listed the files, but could not read the result.';
  const names = listing.entries.slice(0, 5).map(({ path }) => `\`${path}\``);
  return `I listed the files and saw ${plural(listing.total, 'entry', 'entries')}${names.length === 0 ? '' : `, such as ${names.join(', ')}`}.`;
}

/** A call of complete_task when any argument will do; undefined when its schema wants something in particular. */
function completionCall(tool: ToolDefinition | undefined, summary: string): ToolCall | undefined {
  if (tool === undefined) return undefined;
  const { properties = {}, required = [] } = (tool.input_schema ?? {}) as JsonSchema;
  const names = Object.keys(properties);
  if (names.length === 0)
    return { name: tool.name, input: required.length === 0 ? { output: { summary } } : {} };
  const wanted = required.filter((field) => field !== 'status');
  const name = 'output' in properties ? 'output' : (required.length === 0 ? names : wanted)[0];
  const schema = name === undefined ? undefined : properties[name];
  if (name === undefined || schema === undefined || wanted.length > 1) return undefined;
  const status = 'status' in properties ? { status: 'done' } : {};
  if (schema.type === 'string') return { name: tool.name, input: { ...status, [name]: summary } };
  const isUntyped =
    (schema.type === undefined || schema.type === 'object') &&
    schema.properties === undefined &&
    !hasAlternatives(schema);
  return isUntyped ? { name: tool.name, input: { ...status, [name]: { summary } } } : undefined;
}

function hasAlternatives({
  enum: values,
  anyOf,
  oneOf,
  allOf,
  $ref: ref,
  const: value,
}: JsonSchema): boolean {
  return [values, anyOf, oneOf, allOf, ref, value].some((keyword) => keyword !== undefined);
}

function forcedCall(tool: ToolDefinition | undefined): ToolCall {
  const schema = (tool?.input_schema ?? { type: 'object' }) as JsonSchema;
  // A result that is optional for whoever is blocked is none for an agent that is not.
  const result = 'output' in (schema.properties ?? {}) ? ['output'] : [];
  const input = minimalValue({ ...schema, required: [...new Set([...(schema.required ?? []), ...result])] });
  return { name: tool?.name ?? '', input: (input ?? {}) as Record<string, unknown> };
}

/** The last fenced json block that is a schema: an object with a type, properties or alternatives. */
function schemaIn(text: string): JsonSchema | undefined {
  for (const [, block = ''] of [...text.matchAll(/```json[^\n]*\n([\s\S]*?)```/g)].toReversed()) {
    const value = parseOrUndefined(block);
    if (
      value !== null &&
      typeof value === 'object' &&
      ['type', 'properties', 'anyOf', 'oneOf', '$ref'].some((key) => key in value)
    ) {
      return value as JsonSchema;
    }
  }
  return undefined;
}

/** A fenced block need not be JSON; then it is simply not the schema that is looked for. */
function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return `“${line.length > 300 ? `${Array.from(line).slice(0, 300).join('')}…` : line}”`;
}
