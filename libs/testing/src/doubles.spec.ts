import { describe, expect, it } from '@jest/globals';
import { AgentDefinition, TaskId } from '@bullpen/contracts';
import { aCreateTask, aDefinition, aTask } from './builders.js';
import { fakeClock, fixedIds } from './doubles.js';

describe('doubles', () => {
  it('make ids that are valid, sorted and the same in each run', () => {
    const newId = fixedIds();
    expect([newId('task'), newId('task'), newId('msg')]).toEqual([
      'task_00000000000000000000000001',
      'task_00000000000000000000000002',
      'msg_00000000000000000000000001',
    ]);
    expect(TaskId.safeParse(fixedIds()('task')).success).toBe(true);
  });

  it('move the clock only when told to', () => {
    const { now, advance } = fakeClock(new Date(0));
    advance(1_500);
    expect([now(), now()]).toEqual([new Date(1_500), new Date(1_500)]);
  });

  it('build values that the contracts accept', () => {
    expect(AgentDefinition.parse(aDefinition({ tools: ['read_file'] }))).toEqual(
      aDefinition({ tools: ['read_file'] }),
    );
    expect(aCreateTask({ title: 'Mine' })).toMatchObject({
      title: 'Mine',
      prompt: 'Do it.',
      workspace: { kind: 'empty' },
    });
  });

  it('make a root task its own root', () => {
    const task = aTask({ title: 'Mine' });
    expect(task).toMatchObject({ title: 'Mine', rootId: task.id, parentId: null });
  });
});
