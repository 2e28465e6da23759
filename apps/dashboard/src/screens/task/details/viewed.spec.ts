import { describe, expect, it } from '@jest/globals';
import { editPatch, filesOf } from '../../../ui/diff/patch.js';
import { isViewed, toggled, viewedIn, withViewed, type Viewed } from './viewed.js';

const fileOf = (before: string, after: string) => {
  const file = filesOf(editPatch('src/a.ts', before, after))?.[0];
  if (file === undefined) throw new Error('no file');
  return file;
};

describe('a changed file that was looked at', () => {
  it('stays so until it changes again, and can be unread', () => {
    const file = fileOf('one\n', 'two\n');
    const viewed = toggled({}, file);
    expect(isViewed(viewed, fileOf('one\n', 'two\n'))).toBe(true);
    expect(isViewed(viewed, fileOf('one\n', 'three\n'))).toBe(false);
    expect(toggled(viewed, file)).toEqual({});
  });

  it('is remembered by task, for the tasks that were looked at last', () => {
    let text: string | null = null;
    for (let task = 0; task < 60; task += 1) text = withViewed(text, `task_${task}`, { 'a.ts': `${task}` });
    const of = (task: number): Viewed => viewedIn(text, `task_${task}`);
    expect([of(59), of(10), of(9)]).toEqual([{ 'a.ts': '59' }, { 'a.ts': '10' }, {}]);
  });

  it('is forgotten where what is remembered cannot be read', () => {
    for (const text of [null, '', '{', '{}', '[3]', '[["task_a"]]'])
      expect(viewedIn(text, 'task_a')).toEqual({});
  });
});
