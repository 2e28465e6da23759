import { aStory, ROOT } from '@bullpen/testing';
import { TreeModel } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import { activityText } from './activity.js';
import { FlowingText } from './flowing-text.js';
import { widthOf } from './width.js';

const TEXTS: readonly [string, string][] = [
  ['sentences', 'The quick brown fox jumps over the lazy dog, and does so again; extraordinarily often.'],
  ['paragraphs and lists', 'First.\n\n- one thing\n- another thing that is longer\n\n  indented code()\nEnd'],
  ['words in colour', 'plain \u001b[31mred words\u001b[0m and \u001b[1;4mbold ones\u001b[0m again'],
  ['emoji of several parts', 'a family 👨‍👩‍👧‍👦 and flags 🇨🇭🇦🇹 and é and more words here'],
  [
    'a language without spaces',
    '日本語の文章には単語の間に空白がありませんから、どこで折り返してもよいのです。',
  ],
  ['a path that is longer than a line', 'see /a/very/long/path/that/does/not/fit/into/one/line.ts for it'],
];

/** Every way to cut a text in two, and some into many. */
function* cuts(text: string): Generator<string[]> {
  for (let at = 0; at <= text.length; at += 1) yield [text.slice(0, at), text.slice(at)];
  for (const size of [1, 2, 3, 7]) yield text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
}

const shown = (pieces: readonly string[], columns: number): string[] => {
  const flowing = new FlowingText(() => columns);
  return [...pieces.map((piece) => flowing.push(piece)), flowing.end()];
};

describe('text that arrives in pieces', () => {
  it.each(TEXTS)('reads the same wherever it was cut: %s', (_what, text) => {
    const whole = shown([text], 24).join('');
    for (const pieces of cuts(text)) expect(shown(pieces, 24).join('')).toBe(whole);
    for (const line of whole.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(24);
  });

  it('shows no part of a word that is still to come', () => {
    const flowing = new FlowingText(() => 80);
    expect(flowing.push('Reading the fi')).toBe('Reading the');
    expect(flowing.push('le now')).toBe(' file');
    expect(flowing.push('.')).toBe('');
    expect(flowing.end()).toBe(' now.');
  });

  it('goes on in a new line with the whole word after something else was shown', () => {
    const flowing = new FlowingText(() => 80);
    expect(flowing.push('Counting li')).toBe('Counting');
    flowing.lineBroken();
    expect(flowing.push('nes of code ')).toBe('lines of code');
  });

  it('shows no half word in the tree of tasks either, from neither end', () => {
    const story = aStory();
    const model = new TreeModel(ROOT);
    model.apply(story.created(ROOT, 'T'));
    const doing = () => activityText(model.root?.activity ?? { kind: 'nothing' });
    const words = Array.from({ length: 90 }, (_, n) => `word${n}`);
    const text = words.join(' ');
    for (let at = 0; at < text.length; at += 7) {
      model.apply(story.piece(ROOT, text.slice(at, at + 7), at));
      const activity = doing();
      for (const word of activity.split(' ').filter(Boolean)) expect(words).toContain(word);
    }
    model.apply(story.piece(ROOT, '日本語の文章には単語の間に空白がありません'.repeat(3), 0));
    expect(doing()).toMatch(/^日本語/);
  });
});
