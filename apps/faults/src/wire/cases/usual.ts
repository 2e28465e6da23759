/** An ordinary answer and an ordinary turn, for cases that send them in some other way. */
import { calls, says, type Reply } from '../reply.js';
import { call, text } from '../sse.js';
import { AFTER, type Expectation, type WireCase } from '../wire-case.js';

export const HELLO = { path: 'a.txt', content: 'hello' };
export const WORDS = 'Grüße, \u{1f600} and 漢字 in one answer.';
export const ORDINARY = says(WORDS);
/** Text and a call, the shape of most turns. */
export const TURN = calls(text(0, WORDS), call(1, 'write_file', HELLO));

/** An answer in other frames: its words count, bought once. */
export function framed(
  name: string,
  what: string,
  reply: Reply,
  expect: Expectation = { output: WORDS, requests: 1 },
): WireCase {
  return { name: `frame-${name}`, what, replies: [reply], expect };
}

/** A turn with a call in other frames: the call runs with its arguments, bought once. */
export function turned(name: string, what: string, reply: Reply): WireCase {
  return {
    name,
    what,
    replies: [reply],
    expect: {
      output: AFTER,
      requests: 2,
      calls: [{ tool: 'write_file', arguments: HELLO }],
      files: { 'a.txt': 'hello' },
    },
  };
}
