/** A tool as the reader of calls knows it. */
import type { ToolDefinition } from '../../ports/model.js';
import { parameterNames, takesAny } from './values.js';

export interface OfferedTool {
  readonly definition: ToolDefinition;
  /** How a call of it looks, for a model that got it wrong. */
  readonly form: string;
  /** Whether the tool has a parameter of this name. */
  takes(name: string): boolean;
}

/** What has to be known of the tools to find calls of them, by name. */
export function offeredTools(tools: readonly ToolDefinition[]): ReadonlyMap<string, OfferedTool> {
  return new Map(tools.map((definition) => [definition.name, offered(definition)]));
}

function offered(definition: ToolDefinition): OfferedTool {
  const names = new Set(parameterNames(definition.inputSchema));
  const any = takesAny(definition.inputSchema);
  const form = formOf(definition.name, [...names]);
  return { definition, form, takes: (name) => names.has(name) || (any && name !== definition.name) };
}

/** How a call looks. */
function formOf(name: string, parameters: readonly string[]): string {
  const [first] = parameters;
  if (first === undefined) return `It is called like this: <${name}></${name}>.`;
  return `It is called like this: <${name}><${first}>…</${first}></${name}>, with its parameters in any order: ${parameters.join(', ')}.`;
}
