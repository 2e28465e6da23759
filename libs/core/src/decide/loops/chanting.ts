/** Notices a text that says the same thing over and over, as models do that have lost their thread. */
import { unfenced } from '../../task/text.js';

/** A sentence that is there so often, and is most of the text, is not style any more. */
const SAME_SENTENCES = 20;
const SHORTEST_SENTENCE = 8;
/** A text without sentences repeats itself when its end is so many times the same. */
const SAME_PIECES = 20;
const END_CHARS = 2_000;

/** Whether a text chants. Code, tables and lists may repeat themselves: they are left out. Pure, and linear in the length. */
export function isChanting(text: string): boolean {
  const prose = proseOf(text);
  return repeatsSentence(prose) || repeatsEnd(prose.slice(-END_CHARS));
}

/** What is left without fenced or indented code, tables, lists, headings and quotes. */
function proseOf(text: string): string {
  return unfenced(text)
    .lines.filter((line) => !/^(?: {4}|\t|\s*(?:[|>#*+-]|\d+[.)]\s|[\w ./-]+\|))/.test(line))
    .join('\n');
}

function repeatsSentence(prose: string): boolean {
  const counts = new Map<string, number>();
  let all = 0;
  for (const part of prose.split(/(?<=[.!?。！？])\s+|[。！？]|\n+/)) {
    const sentence = part.trim().replaceAll(/\s+/g, ' ').toLowerCase();
    if (sentence.length < SHORTEST_SENTENCE) continue;
    all += 1;
    counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count >= SAME_SENTENCES && count * 2 > all);
}

/** Whether the text is one piece, many times over: by the longest border of the text, as in Knuth, Morris and Pratt's search. */
function repeatsEnd(text: string): boolean {
  if (text.length < END_CHARS) return false;
  const borders = new Uint32Array(text.length);
  for (let at = 1; at < text.length; at += 1) {
    let length = borders[at - 1] ?? 0;
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    borders[at] = text[at] === text[length] ? length + 1 : 0;
  }
  const piece = text.length - (borders.at(-1) ?? 0);
  return piece * SAME_PIECES <= text.length;
}
