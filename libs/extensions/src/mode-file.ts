/** A work mode as a Markdown file: its rules in front matter, what its agent is told below. */
import { ModeDefinition, ModeName, ModeRule } from '@bullpen/contracts';
import { z } from 'zod';
import { parseFrontMatter, type FrontMatter } from './front-matter.js';
import type { Flaw } from './problem.js';
import { flawsOf } from './schema-flaws.js';

/** A rule that leads here from a mode of another file: how a new mode is entered. */
const EntryRule = ModeRule.omit({ to: true }).extend({ from: ModeName });
export type EntryRule = z.infer<typeof EntryRule>;

const ModeFile = ModeDefinition.omit({ prompt: true }).extend({
  phase: ModeDefinition.shape.phase.default(null),
  groups: ModeDefinition.shape.groups.default(['read']),
  asks: ModeDefinition.shape.asks.default('changes'),
  rules: ModeDefinition.shape.rules.default([]),
  entered: z.array(EntryRule).max(50).default([]),
});

export interface ParsedMode {
  readonly definition: ModeDefinition;
  readonly entered: readonly EntryRule[];
  /** The line of one of its rules; of the mode as a whole for null. */
  lineOf(rule: number | null): number;
}

/** The complete mode, or everything that is wrong with the file. Pure. */
export function parseModeFile(text: string): ParsedMode | { readonly flaws: readonly Flaw[] } {
  const front = parseFrontMatter(text);
  if ('flaws' in front) return front;
  const parsed = ModeFile.safeParse(front.data);
  if (!parsed.success)
    return { flaws: parsed.error.issues.flatMap((issue) => flawsOf(issue, front, ModeFile)) };
  const { entered, ...rest } = parsed.data;
  if (!ModeDefinition.shape.prompt.safeParse(front.body).success) return { flaws: [promptFlaw(front)] };
  return {
    definition: { ...rest, prompt: front.body },
    entered,
    lineOf: (rule) => front.lineOf(rule === null ? ['name'] : ['rules', rule]),
  };
}

function promptFlaw({ body, lineOf }: FrontMatter): Flaw {
  const message =
    body === ''
      ? 'has no text below the front matter: that text is what the agent is told in this mode'
      : 'the text below the front matter is longer than 10,000 characters';
  return { line: lineOf([]), message };
}
