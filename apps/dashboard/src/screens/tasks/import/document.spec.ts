import { describe, expect, it } from '@jest/globals';
import { lookAt } from './document.js';

const EXPORTED = {
  format: 'bullpen-task',
  version: 1,
  exportedAt: '2026-11-29T09:00:00.000Z',
  rootId: 'task_b',
  tasks: [
    { task: { id: 'task_b', title: 'The root' }, events: [] },
    { task: { id: 'task_c', title: 'Below it' }, events: [] },
  ],
};

describe('a document that is to be imported', () => {
  it('says what is in it, and stays whole', () => {
    expect(lookAt(JSON.stringify(EXPORTED))).toEqual({
      document: {
        value: EXPORTED,
        title: 'The root',
        tasks: 2,
        exportedAt: EXPORTED.exportedAt,
      },
    });
  });

  it('is refused when it is none, in words', () => {
    expect(lookAt('# Survey the shop')).toEqual({ fault: 'import.notJson' });
    for (const other of [{}, [], null, 3, { ...EXPORTED, format: 'other' }, { ...EXPORTED, tasks: [] }])
      expect(lookAt(JSON.stringify(other))).toEqual({ fault: 'import.notExported' });
    expect(lookAt(JSON.stringify({ ...EXPORTED, note: 'x'.repeat(20 * 1024 * 1024) }))).toEqual({
      fault: 'import.tooLarge',
    });
  });

  it('is refused when a number in it would become another one', () => {
    const text = JSON.stringify({ ...EXPORTED, n: 0 }).replace('"n":0', '"n":7203685477580719301');
    expect(lookAt(text)).toEqual({ fault: 'import.inexact' });
  });
});
