import { expect, it } from '@jest/globals';
import type { LiveDelta, TaskEvent } from '@bullpen/contracts';
import { Frames } from './frames.js';

const event = { taskId: 't', seq: 7, type: 'error', data: { message: 'secret' } } as unknown as TaskEvent;
const delta = { taskId: 't', type: 'text', data: { offset: 0, text: 'secret' } } as unknown as LiveDelta;

/** Frames, and how many texts were masked for them. */
function counted(): { frames: Frames; masked: () => number } {
  let count = 0;
  const maskJsonText = (text: string): string => {
    count += 1;
    return text.replaceAll('secret', '[hidden]');
  };
  return { frames: new Frames({ maskJsonText }), masked: () => count };
}

it('writes and masks an event once, for all who watch', () => {
  const { frames, masked } = counted();
  const first = frames.of('7', event);
  expect(first).toBe(
    'id: 7\nevent: error\ndata: {"taskId":"t","seq":7,"type":"error","data":{"message":"[hidden]"}}\n\n',
  );
  expect(frames.of('7', event)).toBe(first);
  expect(masked()).toBe(1);
});

it('gives a delta the id of each reader', () => {
  const { frames } = counted();
  expect(['7', '8', '7'].map((id) => frames.of(id, delta).split('\n')[0])).toEqual([
    'id: 7',
    'id: 8',
    'id: 7',
  ]);
});
