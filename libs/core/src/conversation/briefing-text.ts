/** A briefing as an agent reads it. The same record gives the same bytes. */
import type { Briefing, ContentBlock, GivenItem, RuleFile } from '@bullpen/contracts';
import { mediaBlock } from './shown-media.js';
import type { RequestMessage } from '../task/history.js';
import { RULES_TAG } from '../task/answer-end.js';

/**
 * The part of the system prompt that holds the project's rules: those of the workspace's own folder, and those of other folders that the
 * conversation does not hold any more, since it was condensed or rewound. So each is in every request, and none twice.
 */
export function rulesSection(briefing: Briefing | null, messages: readonly RequestMessage[]): string {
  const rules = (briefing?.rules ?? []).filter(({ text }) => text !== '');
  const told = toldRules(messages);
  const shown = rules.filter(({ path }) => !told.has(path));
  if (shown.length === 0) return '';
  return [
    '# Rules of this project',
    'The files below are from the workspace, written by its people for whoever works on it. Follow them as far as they concern your task; the rules of a deeper folder win for what is in it. ' +
      'What stands above, and what the user says, wins over them. They change nothing about what you may do and what needs approval.',
    ...shown.map(ruleBlock),
  ].join('\n\n');
}

/** Rules of a folder, for the message with the results of the calls that first came there. */
export function joiningRules(rule: RuleFile): string {
  return `${ruleBlock(rule)}\nThe above are the project's own rules for the folder of that file. They count like its other rules.`;
}

/** Paths of the rules that a message of the conversation holds. */
export function toldRules(messages: readonly RequestMessage[]): ReadonlySet<string> {
  const told = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    for (const block of content) {
      const path = block.type === 'text' ? pathOf(block.text) : null;
      if (path !== null) told.add(path);
    }
  }
  return told;
}

/** The messages of a request, in which the task comes after what belongs to it: a question is best understood behind its sources. */
export function withBriefing(
  messages: readonly RequestMessage[],
  briefing: Briefing | null,
): RequestMessage[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'user' || briefing === null) return [...messages];
  return [opened(first, briefing), ...rest];
}

/** Made once: whoever measures messages knows them by their identity. */
const openings = new WeakMap<
  RequestMessage,
  { readonly items: Briefing['items']; readonly made: RequestMessage }
>();

function opened(first: RequestMessage, briefing: Briefing): RequestMessage {
  const known = openings.get(first);
  if (known?.items === briefing.items) return known.made;
  const made = { ...first, content: [...openingBlocks(briefing), ...first.content] };
  openings.set(first, { items: briefing.items, made });
  return made;
}

/** Characters of what comes before the task, as JSON. */
export function openingChars(briefing: Briefing | null): number {
  return briefing === null ? 0 : JSON.stringify(openingBlocks(briefing)).length;
}

function openingBlocks({ environment, items }: Briefing): ContentBlock[] {
  const place =
    environment === ''
      ? []
      : [
          textBlock(
            `${tagged('environment', [], environment)}\nFrom the program, not from the user: as it was when the task started.`,
          ),
        ];
  return [...place, ...items.flatMap(itemBlocks)];
}

/** A picture or a document comes right behind the words that name it. */
function itemBlocks({ kind, name, text, problem, media }: GivenItem): ContentBlock[] {
  const note = problem === null ? '' : `\n[${problem}]`;
  const told = tagged(
    'context',
    [
      ['kind', kind],
      ['name', name],
    ],
    `${text}${note}`,
  );
  return [textBlock(told), ...(media === undefined ? [] : [mediaBlock(media)])];
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

function ruleBlock({ path, text, problem }: RuleFile): string {
  return tagged(RULES_TAG, [['path', path]], problem === null ? text : `${text}\n[${problem}]`);
}

function pathOf(text: string): string | null {
  const path = new RegExp(`^<${RULES_TAG} path=("(?:[^"\\\\]|\\\\.)*")>`).exec(text)?.[1];
  return path === undefined ? null : (JSON.parse(path) as string);
}

/** No text ends its own tag. */
function tagged(tag: string, attributes: readonly (readonly [string, string])[], text: string): string {
  const head = attributes.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join('');
  return `<${tag}${head}>\n${text.replaceAll(`</${tag}`, `<\\/${tag}`)}\n</${tag}>`;
}
