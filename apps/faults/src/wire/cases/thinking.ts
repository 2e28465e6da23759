/** Thinking and its signature, in odd places and of odd kinds. */
import { calls } from '../reply.js';
import { blockStart, blockStop, call, delta, signatureOf } from '../sse.js';
import type { WireCase } from '../wire-case.js';
import { HELLO, turned } from './usual.js';

export const thinkingCases: readonly WireCase[] = [
  turned(
    'signature-in-start',
    'thinking with its signature in content_block_start',
    calls(
      blockStart(0, { type: 'thinking', thinking: '', signature: signatureOf('Hm.') }) +
        delta(0, { type: 'thinking_delta', thinking: 'Hm.' }) +
        blockStop(0),
      call(1, 'write_file', HELLO),
    ),
  ),
  turned(
    'thinking-in-start',
    'thinking and signature both in content_block_start',
    calls(
      blockStart(0, { type: 'thinking', thinking: 'Hm.', signature: signatureOf('Hm.') }) + blockStop(0),
      call(1, 'write_file', HELLO),
    ),
  ),
  turned(
    'signature-twice',
    'the same signature in content_block_start and in a delta',
    calls(
      blockStart(0, { type: 'thinking', thinking: 'Hm.', signature: signatureOf('Hm.') }) +
        delta(0, { type: 'signature_delta', signature: signatureOf('Hm.') }) +
        blockStop(0),
      call(1, 'write_file', HELLO),
    ),
  ),
  ...[null, 7, undefined, {}].map((signature, at) =>
    turned(
      `signature-odd-${at}`,
      `thinking whose signature is ${JSON.stringify(signature)}`,
      calls(
        blockStart(0, { type: 'thinking', thinking: '', signature: '' }) +
          delta(0, { type: 'thinking_delta', thinking: 'Hm.' }) +
          delta(0, { type: 'signature_delta', signature }) +
          blockStop(0),
        call(1, 'write_file', HELLO),
      ),
    ),
  ),
  ...[null, 7, undefined].map((words, at) =>
    turned(
      `thinking-odd-${at}`,
      `thinking whose words are ${JSON.stringify(words)}`,
      calls(
        blockStart(0, { type: 'thinking', thinking: words, signature: '' }) +
          delta(0, { type: 'thinking_delta', thinking: words }) +
          blockStop(0),
        call(1, 'write_file', HELLO),
      ),
    ),
  ),
  ...[null, '', 7, undefined].map((data, at) =>
    turned(
      `redacted-odd-${at}`,
      `redacted thinking whose data is ${JSON.stringify(data)}`,
      calls(blockStart(0, { type: 'redacted_thinking', data }) + blockStop(0), call(1, 'write_file', HELLO)),
    ),
  ),
];
