import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '@bullpen/testing/cpu-time';
import { ENGLISH_PROMPTS } from '../../testing/labelled-english.js';
import { KOREAN_PROMPTS } from '../../testing/labelled-korean.js';
import { SPOKEN_PROMPTS } from '../../testing/labelled-speech.js';
import { suggestMode } from './suggest-mode.js';

const modeOf = (text: string) => suggestMode(text).mode;

describe('the suggested mode', () => {
  it.each([
    ['English', ENGLISH_PROMPTS],
    ['Korean', KOREAN_PROMPTS],
    ['spoken', SPOKEN_PROMPTS],
  ])('is the labelled one for at least nine of ten %s prompts', (_language, prompts) => {
    const wrong = prompts.filter(({ text, modes, unsure }) => {
      const { mode, isSure } = suggestMode(text);
      return unsure === true ? isSure : !modes.includes(mode);
    });
    expect(prompts.length).toBeGreaterThan(120);
    expect(wrong.map(({ text }) => text).slice(Math.floor(prompts.length / 10))).toEqual([]);
  });

  it('is seldom wrong and sure: what is not known well is asked', () => {
    const all = [...ENGLISH_PROMPTS, ...KOREAN_PROMPTS, ...SPOKEN_PROMPTS];
    const wrong = all.filter(({ text, modes }) => {
      const { mode, isSure } = suggestMode(text);
      return isSure && !modes.includes(mode);
    });
    expect(wrong.length / all.length).toBeLessThan(0.02);
  });

  it('is not sure of what only the form of a sentence, or a verb for any work, speaks for', () => {
    for (const text of ['sort of purple walls?', 'Change it', '저거 바꿔줘', 'would elephants dance?'])
      expect([text, suggestMode(text).isSure]).toEqual([text, false]);
  });

  it('finds an order in the words around a complaint, a joke, or what must not be done', () => {
    expect(modeOf('테스트가 자꾸 두 번씩 도는데 원인 좀 찾아줘')).toBe('debug');
    expect(modeOf('설치 설명서 작성해줘')).toBe('documentation');
    expect(modeOf('이 함수 설명해줘')).toBe('context_navigation');
    expect(modeOf('버튼이랑 표 둘 다 만들어줘')).toBe('implementation');
    expect(modeOf('auth.ts를refactor해줘')).toBe('refactor');
    expect(modeOf("Don't implement anything yet, just tell me which files it would touch")).toBe(
      'impact_analysis',
    );
  });

  it('takes no orders from what is quoted or pasted', () => {
    expect(modeOf('Rename the "Deploy" tab to "Migrate"')).toBe('implementation');
    expect(modeOf('커밋 메시지 써줘\n```diff\n+ runBenchmark();\n+ // TODO migrate\n```')).toBe(
      'git_workflow',
    );
    expect(modeOf('What does this do?\n~~~\nplease deploy and commit\n~~~')).toBe('context_navigation');
    expect(modeOf('> please review and commit\nrun the tests')).toBe('test');
  });

  it('does not count what is denied, on either side of the word that denies', () => {
    expect(modeOf('No refactoring please, just fix the crash')).toBe('debug');
    expect(modeOf('리뷰는 하지 말고 커밋만 해줘')).toBe('git_workflow');
    expect(modeOf('login does not work')).toBe('debug');
  });

  it('follows an order that names a mode, quoted or not, and answers a question about one', () => {
    expect(suggestMode('"리팩토링" 모드로 가자')).toMatchObject({ mode: 'refactor', confidence: 1 });
    expect(modeOf('switch to review mode')).toBe('qa');
    expect(modeOf('what does review mode do?')).toBe('idle');
    expect(modeOf('이 정도면 리팩토링이라도 해야 되나 ㅋㅋ 근데 그 모드는 뭐 하는 거야?')).not.toBe(
      'refactor',
    );
  });

  it('stays where a task is when it is told to go on', () => {
    for (const text of ['go on', 'continue', '계속해줘', '이어서 진행해 주세요'])
      expect(suggestMode(text, { current: 'migration' })).toMatchObject({ mode: 'migration', isSure: true });
  });

  it('is unsure where nothing says what to do, and says which words led it elsewhere', () => {
    expect(suggestMode('로그인')).toMatchObject({ isSure: false });
    expect(suggestMode('')).toMatchObject({ mode: 'idle' });
    expect(suggestMode('PR리뷰해줘').reason).toContain('“리뷰”');
  });

  it('reads a long text in a time that grows with its length', () => {
    const took = (text: string) => cpuMs(() => suggestMode(text));
    const hostile = [
      'fix the '.repeat(5_000),
      'if i delete '.repeat(5_000),
      '"'.repeat(40_000),
      'x에서 y로 '.repeat(5_000),
      "can't ".repeat(8_000),
      '왜 '.repeat(10_000),
      '지우면 '.repeat(8_000),
      'no '.repeat(10_000),
    ];
    for (const text of hostile) {
      const tenth = took(text.slice(0, text.length / 10));
      // Linear is ten times as much, quadratic a hundred times.
      expect(took(text)).toBeLessThan(Math.max(tenth, 5) * 50);
    }
  });
});
