import { describe, expect, it } from '@jest/globals';
import { isChanting } from './chanting.js';

const times = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

describe('a text that chants', () => {
  it.each([
    ['the same sentence fifty times', times(50, () => 'I will now check the file again. ')],
    ['the same line fifty times', `Let me see.\n${times(50, () => 'I will now check the file again\n')}`],
    ['a Korean sentence', times(50, () => '이제 파일을 다시 확인하겠습니다. ')],
    ['words without an end', times(400, () => 'again and ')],
    [
      'the same sentence after some that are different',
      `${times(30, (at) => `Point ${at} is different. `)}${times(40, () => 'The end is near. ')}`,
    ],
  ])('is %s', (_, text) => {
    expect(isChanting(text)).toBe(true);
  });

  it.each([
    [
      'a fenced file of a hundred alike functions',
      `Here:\n\`\`\`ts\n${times(100, () => 'export function same() { return 1; }\n')}\`\`\`\nDone.`,
    ],
    ['a fence with a longer mark', `~~~~\n~~~\n${times(100, () => 'the same line\n')}~~~~\n`],
    ['a fence that has no end', `\`\`\`\n${times(100, () => 'the same line of code\n')}`],
    [
      'a table of sixty rules',
      `| rule | state |\n|---|---|\n${times(60, () => '| no unused names | the rule is kept |\n')}`,
    ],
    ['a list', times(60, (at) => `${at}. The check has passed.\n`)],
    ['a list with alike items', times(60, () => '- The check has passed.\n')],
    ['long prose', times(200, (at) => `Sentence number ${at} says something else. `)],
    ['a refrain', times(15, (at) => `Verse ${at} is new.\nAnd so it goes on.\n`)],
    ['nothing', ''],
  ])('is not %s', (_, text) => {
    expect(isChanting(text)).toBe(false);
  });

  it('is found in linear time', () => {
    expect(isChanting('a'.repeat(1_000_000))).toBe(true);
    expect(isChanting('`'.repeat(1_000_000))).toBe(false);
  });
});
