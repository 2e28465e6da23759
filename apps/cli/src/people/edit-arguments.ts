/** What a person edits of a call: the one long text in it, or else all arguments as JSON. Pure. */
import { inexactNumber, type Json } from '@bullpen/contracts';

export interface Editable {
  /** As the editor shows it. */
  readonly text: string;
  /** Of the file's name, so that an editor knows what it is. */
  readonly ending: string;
  /** The arguments with the text as it was edited. Throws a `SyntaxError` when it cannot be read. */
  readonly argumentsWith: (edited: string) => Json;
}

/** The argument of each tool that is worth a file of its own. */
const LONG_TEXT: Readonly<Record<string, string>> = {
  write_file: 'content',
  edit_file: 'newText',
  run_command: 'command',
};

/** The part of the arguments that people want to edit: a long text by itself where the tool has one, else all of them as JSON. */
export function editableOf(tool: string, args: Json): Editable {
  const fields = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};
  const name = Object.hasOwn(LONG_TEXT, tool) ? LONG_TEXT[tool] : undefined;
  const text = name === undefined ? undefined : fields[name];
  if (name === undefined || typeof text !== 'string')
    return {
      text: `${JSON.stringify(args, null, 2)}\n`,
      ending: '.json',
      argumentsWith: exactJson,
    };
  return {
    text,
    ending: name === 'command' ? '.sh' : endingOf(fields['path']),
    argumentsWith: (edited) => ({ ...fields, [name]: asBefore(text, edited) }),
  };
}

function exactJson(edited: string): Json {
  const number = inexactNumber(edited);
  if (number === null) return JSON.parse(edited) as Json;
  throw new SyntaxError(`the number ${number.digits} cannot be kept exactly; write it as a string`);
}

/** The path comes from a model: only an ending that is plain goes into the name of a file. */
function endingOf(path: Json | undefined): string {
  return (typeof path === 'string' ? /\.\w{1,10}$/.exec(path)?.[0] : undefined) ?? '.txt';
}

/** Editors end the last line; a text that did not end so is not to get a line end from that. */
function asBefore(text: string, edited: string): string {
  return text.endsWith('\n') ? edited : edited.replace(/\r?\n$/, '');
}
