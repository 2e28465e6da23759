/** What a model is told about a call in its text that cannot be run. */
import type { OfferedTool } from './offered-tool.js';

type Tool = Pick<OfferedTool, 'definition' | 'form'>;

/** The answer ended within the call. */
export function unclosed({ definition: { name }, form }: Tool): string {
  return `Not run: your answer ended before the end of this call. Write the whole call again, up to </${name}>. ${form}`;
}

/** No closing tag of the parameter could be its end. */
export function endlessValue({ definition: { name }, form }: Tool, parameter: string): string {
  return `Not run: the value of ${parameter} has no end. Its </${parameter}> must have </${name}> or another parameter right behind it. Write the whole call again. ${form}`;
}

/** The end of a call without its beginning. */
export function strayEnd({ definition: { name }, form }: Tool): string {
  return `Not run: </${name}> ends a call that could not be read. ${form}`;
}

/** A second end behind a call. */
export function ambiguous(name: string): string {
  return `Not run: </${name}> came once more behind a call of ${name}, so it is not clear where the values of your calls end. Make this call again, with nothing behind it.`;
}

/** The calls before a thought's end. */
export function inThoughts(name: string): string {
  return `Not run: </${name}> came after this call, so it was part of your thoughts. Make it again if it is meant.`;
}
