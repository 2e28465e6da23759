/** How a model without tool calls of its own is told about its tools. It stays the same for a whole task, for the provider's cache. */
import type { JsonSchema } from '@bullpen/contracts';
import type { ToolDefinition } from '../../ports/model.js';
import { typesOfParameter } from './values.js';

/** The part of the system prompt that describes the tools, and how they are called. */
export function toolsText(tools: readonly ToolDefinition[]): string {
  return [HOW, ...tools.map(toolText)].join('\n\n');
}

const HOW = `# Tools

To call a tool, write the call into your answer:

<tool_name>
<parameter_name>value</parameter_name>
</tool_name>

- Use the names below exactly. Each parameter has tags of its own; leave out optional ones that you do not need.
- A value is everything between its tags, to the letter: no escapes or entities, no code fence around it, and no line break that does not belong to it. It can have many lines and hold tags.
- Write numbers, true and false, lists and objects as JSON.
- A call without its closing tag is not run. What stands in a code fence or between backticks is an example and is not run either.
- You can make several calls in one answer, one after the other. Write nothing behind the last one: the next message gives you the results in the order of the calls, as <result call="1">…</result>, or with error="true" if a call failed. Never write a result yourself.`;

function toolText({ name, description, inputSchema }: ToolDefinition): string {
  const parameters = Object.entries((inputSchema['properties'] ?? {}) as Record<string, JsonSchema>);
  const required = new Set(inputSchema['required'] as readonly string[] | undefined);
  const lines = parameters.map(([parameter, schema]) =>
    parameterLine(parameter, schema, {
      types: typesOfParameter(inputSchema, parameter),
      required: required.has(parameter),
    }),
  );
  const definitions = inputSchema['$defs'];
  return [
    `## ${name}`,
    description,
    lines.length === 0 ? `It has no parameters: <${name}></${name}>` : `Parameters:\n${lines.join('\n')}`,
    ...(definitions === undefined ? [] : [`Definitions: ${JSON.stringify(definitions)}`]),
  ].join('\n');
}

/** A parameter in a line; what its type does not say is given as JSON Schema. */
function parameterLine(
  name: string,
  schema: JsonSchema,
  { types, required }: { readonly types: ReadonlySet<string>; readonly required: boolean },
): string {
  const { type: _, description, ...rest } = schema;
  const kind = types.size === 0 ? 'any value' : [...types].join(' or ');
  const more = Object.keys(rest).length === 0 ? '' : ` JSON Schema: ${JSON.stringify(rest)}`;
  const about = typeof description === 'string' ? ` ${description}` : '';
  return `- ${name} (${kind}, ${required ? 'required' : 'optional'}):${about}${more}`;
}
