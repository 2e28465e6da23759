/** Markdown that is cut into blocks as it comes: nothing is lost, nothing is cut that belongs together, and a step stays cheap. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blocksOf, isTooHeavy, type Blocks } from './blocks.js';

const all = ({ settled, last }: Blocks) => [...settled, ...(last === null ? [] : [last])];
const textsOf = (text: string) => all(blocksOf(text)).map((block) => block.text);

describe('the blocks of a text', () => {
  it('end at blank lines, and keep lists, indented lines and quotes whole', () => {
    expect(textsOf('One\ntwo\n\nThree\n\n\n- a\n\n- b\n\n  more of b\n\n> quote\n\nEnd')).toEqual([
      'One\ntwo',
      'Three',
      '- a\n\n- b\n\n  more of b',
      '> quote',
      'End',
    ]);
  });

  it('are code between fences, whatever is in there, also while the fence is open', () => {
    const text = 'See\n```ts\nconst a = 1;\n\n# no title\n~~~\n```\nand\n~~~~\nopen\n\n```';
    expect(all(blocksOf(text)).map(({ kind, language, text: body }) => [kind, language, body])).toEqual([
      ['prose', '', 'See'],
      ['code', 'ts', 'const a = 1;\n\n# no title\n~~~'],
      ['prose', '', 'and'],
      ['code', '', 'open\n\n```'],
    ]);
  });

  it('are the same however the text came', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        '',
        '```',
        '```js',
        '~~~',
        '- item',
        '  more',
        '1. one',
        '> said',
        '# Title',
        '---',
      ),
      fc.string({ maxLength: 12 }),
    );
    const lines = fc.array(line, { maxLength: 30 });
    fc.assert(
      fc.property(lines, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (parts, sizes) => {
        const text = parts.join('\n');
        let blocks = blocksOf('');
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          at += sizes[turn % sizes.length] ?? 1;
          blocks = blocksOf(text.slice(0, at), blocks);
        }
        expect(all(blocks)).toEqual(all(blocksOf(text)));
      }),
    );
  });

  it('stay settled: a step looks at nothing but the last block', () => {
    const paragraph = 'Some words that make a paragraph.\n\n';
    const long = blocksOf(paragraph.repeat(4_000));
    const longer = blocksOf(`${long.text}And`, long);
    expect(longer.settled.slice(0, -1)).toEqual(long.settled);
    expect(longer.settled.at(-1)).toEqual(long.last);
    expect(longer.last?.text).toBe('And');
  });

  it('begin anew when the text is another one', () => {
    expect(all(blocksOf('Other', blocksOf('One\n\nTwo'))).map(({ text }) => text)).toEqual(['Other']);
  });

  it('cut a list that is too long between its items', () => {
    const blocks = all(
      blocksOf(Array.from({ length: 2_000 }, (_, index) => `${index + 1}. item`).join('\n')),
    );
    expect(blocks.length).toBeGreaterThan(2);
    expect(Math.max(...blocks.map(({ text }) => text.length))).toBeLessThan(4_100);
  });
});

describe('what is too heavy to parse', () => {
  it('is what would take quadratic time or endless depth, and no ordinary text', () => {
    expect(
      ['_x_['.repeat(2_000), '>'.repeat(30_000), '> '.repeat(100), '- '.repeat(500)].map(isTooHeavy),
    ).toEqual([true, true, true, true]);
    expect(isTooHeavy('A **bold** word, `code` and [a link](https://e.test).\n'.repeat(60))).toBe(false);
  });
});
