/** What is typed or pasted at a prompt, key for key: every sentence at every prompt, in every way that it can arrive. */
import { describe, expect, it } from '@jest/globals';
import type { InteractionAnswer, InteractionView } from '@bullpen/contracts';
import { aQuestion, BUDGET, COMMAND, FILE, MISTAKES, PLAN, PROMPTS } from '../../test/prompts.js';
import { SENTENCES } from '../../test/sentences.js';
import { askInPlace } from './ask-in-place.js';
import { KeyReader } from './prompt/keys.js';
import { openPrompt, type Outcome, type Prompt } from './prompt/prompt.js';
import { heard } from './prompt/show-prompt.js';
import { PromptWithdrawn, type Given, type Prompts } from './prompts.js';

/** What comes from the keyboard; null is a moment of silence. */
type Typing = readonly (Buffer | null)[];

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const ENTER = '\r';
const ESCAPE = '\u001b';

/** At once, as a paste or a program sends it, and then silence. */
const burst = (text: string): Typing => [Buffer.from(text), null];
/** One after the other, with a moment in between. */
const apart = (...keys: readonly string[]): Typing => keys.flatMap(burst);
const raw = (sentence: string): string => sentence.replaceAll(/\r?\n/g, ENTER);
const pasted = (sentence: string): string => `\u001b[200~${raw(sentence)}\u001b[201~`;

/** Plays keys to a prompt; null when it is still open. */
function played(prompt: Prompt, typing: Typing): Outcome | null {
  const reader = new KeyReader();
  let state = openPrompt(prompt);
  for (const chunk of typing) state = heard(state, reader, chunk);
  return state.outcome;
}

/** One after the other: what is chosen or typed at each prompt. The prompt that finds nothing left is taken away. */
function playedPrompts(typings: readonly Typing[]): Prompts {
  const left = [...typings];
  const next = (prompt: Prompt): Exclude<Outcome, { kind: 'left' | 'interrupted' }> | null => {
    const outcome = played(prompt, left.shift() ?? []);
    if (outcome === null) throw new PromptWithdrawn();
    return outcome.kind === 'choice' || outcome.kind === 'words' ? outcome : null;
  };
  return {
    choose: <T extends string>(prompt: Prompt<T>): Promise<Given<T> | null> =>
      Promise.resolve().then(() => {
        const given = next(prompt);
        if (given?.kind === 'words') return { choice: null, words: given.text, marked: given.marked };
        return given === null ? null : { choice: given.value as T, marked: given.marked };
      }),
    write: (message, { initial = '', ...words }) =>
      Promise.resolve().then(() => {
        const given = next({ message, choices: [], words, initial });
        return given?.kind === 'words' ? given.text : null;
      }),
  };
}

async function answerTo(
  view: InteractionView,
  typings: readonly Typing[],
): Promise<InteractionAnswer | 'left open' | 'still asks'> {
  const tools = {
    prompts: playedPrompts(typings),
    edit: (text: string) => Promise.resolve(`${text} edited`),
    show: () => undefined,
    warn: () => undefined,
  };
  try {
    return (await askInPlace(view, tools, new AbortController().signal)) ?? 'left open';
  } catch (error) {
    if (error instanceof PromptWithdrawn) return 'still asks';
    throw error;
  }
}

const up = (times: number): Typing => apart(...Array<string>(times).fill(UP), ENTER);

describe.each(PROMPTS)('at the prompt of $name', ({ view, way: ups }) => {
  const way = ups.map(up);
  const nothingSent = async (typing: Typing): Promise<void> => {
    const became = await answerTo(view, [...way, typing]);
    if (typeof became !== 'string')
      throw new Error(`${JSON.stringify(String(typing))} sent ${JSON.stringify(became)}`);
  };

  it('has it been reached, and still asks', async () => {
    expect(await answerTo(view, [...way, []])).toBe('still asks');
  });

  it('is nothing sent or chosen by a sentence and Enter, typed or pasted', async () => {
    for (const sentence of SENTENCES) {
      for (const typing of [
        apart(...raw(sentence), ENTER),
        burst(raw(sentence) + ENTER),
        [...burst(raw(sentence)), ...burst(ENTER)],
        burst(pasted(sentence) + ENTER),
        [...burst(pasted(sentence)), ...burst(ENTER)],
      ])
        await nothingSent(typing);
      // A line end in the middle, typed by hand, is an Enter like the last one.
      if (!/\n/.test(sentence))
        expect(await answerTo(view, [...way, apart(...sentence, ENTER)])).toBe('still asks');
    }
  });

  it('is nothing sent by one sentence after the other, or by Enter again and again', async () => {
    const lines = SENTENCES.map((sentence) => raw(sentence) + ENTER);
    await nothingSent(lines.flatMap(burst));
    await nothingSent(burst(lines.join('')));
    for (const sentence of SENTENCES) await nothingSent(apart(...sentence, ENTER, ENTER, ENTER, ENTER));
  });

  it('do arrow keys before and after the letters choose nothing', async () => {
    for (const sentence of SENTENCES)
      for (const arrows of [[UP], [DOWN], [UP, UP], [DOWN, DOWN, DOWN]]) {
        await nothingSent(apart(...arrows, ...sentence, ENTER));
        await nothingSent(apart(...sentence.trimEnd(), ...arrows, ENTER));
        // As shells bring the last line back.
        await nothingSent(apart(...sentence, ENTER, arrows[0] ?? '', ENTER));
        await nothingSent(burst(arrows.join('') + raw(sentence) + ENTER));
      }
  });

  it('are escape sequences and line ends in what is pasted without marks a part of it', async () => {
    for (const sentence of SENTENCES)
      for (const sequence of [
        UP + ENTER,
        DOWN + ENTER,
        '\u001bOB\r',
        '\u001b[31m',
        '\u001b[200~',
        '\u001b[201~',
        ' ',
        ENTER,
        '\n',
      ])
        for (const at of [0, 1, sentence.length])
          await nothingSent(
            burst(raw(sentence.slice(0, at)) + sequence + raw(sentence.slice(at)) + sequence),
          );
  });

  it('does it not matter where reads cut the bytes', async () => {
    for (const sentence of SENTENCES) {
      const bytes = Buffer.from(`${pasted(sentence)}${DOWN}${UP}\r`);
      for (const size of [1, 2, 3, 5]) {
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        await nothingSent([...chunks, null]);
        await nothingSent(chunks.flatMap((chunk) => [chunk, null]));
      }
    }
  });
});

describe('what is deliberate', () => {
  const became = (view: InteractionView, ...typings: readonly Typing[]): Promise<unknown> =>
    answerTo(view, typings);

  it('is an arrow key and Enter, also at once, as programs send them', async () => {
    for (const typing of [apart(DOWN, ENTER), burst(DOWN + ENTER), burst(DOWN + DOWN + UP + ENTER)])
      expect(await became(COMMAND, typing)).toEqual({ decision: 'approve' });
    expect(await became(COMMAND, up(2))).toEqual({ decision: 'deny' });
    expect(await became(COMMAND, apart(ENTER))).toBe('left open');
    expect(await became(COMMAND, apart(ESCAPE))).toBe('left open');
    expect(await became(COMMAND, up(4), apart(DOWN, ENTER))).toEqual({
      decision: 'approve',
      remember: 'task',
    });
  });

  it('is sending what was typed after it has been shown once more', async () => {
    const words = apart(...'just go', ENTER, UP, UP, ENTER);
    expect(await became(COMMAND, words)).toEqual({ decision: 'deny', remarks: 'just go' });
    expect(await became(aQuestion(), words)).toEqual({ text: 'just go' });
    expect(await became(PLAN, words)).toEqual({ decision: 'revise', remarks: 'just go' });
    expect(await became(MISTAKES, words)).toEqual({ decision: 'continue', guidance: 'just go' });
    expect(await became(BUDGET, words)).toBe('still asks');
  });

  it('is editing a command, and an answer that was asked for as text', async () => {
    expect(await became(COMMAND, up(3), apart(' --ci', ENTER, UP, UP, ENTER))).toEqual({
      decision: 'approve',
      arguments: { command: 'npm test --ci' },
    });
    expect(await became(FILE, up(3), apart(DOWN, ENTER))).toEqual({
      decision: 'approve',
      arguments: { path: 'a.txt', content: 'b edited' },
    });
    expect(await became(BUDGET, up(2), apart('25', ENTER, UP, UP, ENTER))).toEqual({
      decision: 'raise',
      limitUsd: '25',
    });
    expect(await became(BUDGET, up(2), apart('1', ENTER, UP, UP, ENTER))).toBe('still asks');
  });

  it('is marking options, and what is typed goes with them', async () => {
    const several = aQuestion({ multiple: true });
    const marking = [DOWN, ENTER, DOWN, ENTER, ENTER, DOWN, ENTER];
    expect(await became(several, apart(...marking, DOWN, ENTER))).toEqual({ choices: ['just go', 'ja'] });
    expect(await became(several, apart(...marking, 'and more', ENTER, UP, UP, ENTER))).toEqual({
      choices: ['just go', 'ja'],
      text: 'and more',
    });
    expect(await became(several, apart(DOWN, DOWN, DOWN, DOWN, ENTER))).toBe('still asks');
  });

  it('takes several lines, corrections and letters of any script as they are meant', async () => {
    const left = '\u001b[D';
    const typed = apart(
      'Grüße 👨‍👩‍👧x',
      '\u007f',
      '\u007f',
      left,
      left,
      '\u007f',
      's',
      '\u0005',
      '!',
      ENTER,
      UP,
      UP,
      ENTER,
    );
    expect(await became(aQuestion(), typed)).toEqual({ text: 'Grüse !' });
    expect(await became(aQuestion(), apart(pasted('one\ntwo'), ENTER, UP, UP, ENTER))).toEqual({
      text: 'one\ntwo',
    });
    expect(await became(aQuestion(), [...burst('one\rtwo\r'), ...apart(UP, UP, ENTER)])).toEqual({
      text: 'one\ntwo',
    });
    expect(await became(aQuestion(), apart('one', ENTER, 'two', ENTER, UP, UP, ENTER))).toEqual({
      text: 'one\ntwo',
    });
  });
});
