/** Help texts: examples come first, as they answer most questions. */
import type { Command } from 'commander';

/** Puts examples above everything else in a command's help: what to type, and what that does. */
export function withExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const width = Math.max(...examples.map(([text]) => text.length));
  const lines = examples.map(([text, what]) =>
    width > 48 ? `  ${text}\n      ${what}` : `  ${text.padEnd(width)}   ${what}`,
  );
  return command.addHelpText('before', `Examples:\n${lines.join('\n')}\n`);
}

/** Shown at the end of `bullpen --help`. */
export const PLACE_HELP = `A command uses the Bullpen that is named by the first of these:
  --url, --home or --context; BULLPEN_URL, BULLPEN_CONTEXT or BULLPEN_HOME;
  the .bullpen of this folder or of one above it, so that work in a project
  stays there; the current context, from any other folder.`;

/** Shown at the end of `bullpen --help`. */
export const ID_HELP = `Ids: the first or the last characters are enough when only one id matches.
  Lists at a terminal show the last characters.`;
