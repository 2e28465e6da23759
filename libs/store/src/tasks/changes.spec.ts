import { expect, it } from '@jest/globals';
import type { CommitEffects } from '@bullpen/contracts';
import { tell, type Change } from './changes.js';

const change = (id: string, over: Partial<Change> = {}): Change => ({
  id,
  root_id: 'task_root',
  tenant_id: 'default',
  event_seq: 7,
  ...over,
});

function told(...changes: readonly Change[]): CommitEffects[] {
  const effects: CommitEffects[] = [];
  tell((committed) => void effects.push(committed), changes);
  return effects;
}

it('tells of each changed task, of the wakes that may be announced, and once of a tree that is to stop', () => {
  const other = change('task_d', { root_id: 'task_other', leave: true });
  expect(
    told(
      change('task_a', { wake: 3 }),
      change('task_b', { wake: null, leave: true }),
      change('task_c', { leave: true }),
      other,
    ),
  ).toEqual([
    {
      wakes: [{ taskId: 'task_a', wake: 3 }],
      rows: ['task_a', 'task_b', 'task_c', 'task_d'].map((taskId) => ({
        tenantId: 'default',
        rootId: taskId === 'task_d' ? 'task_other' : 'task_root',
        taskId,
        seq: 7,
      })),
      cancels: [
        { tenantId: 'default', rootId: 'task_root' },
        { tenantId: 'default', rootId: 'task_other' },
      ],
    },
  ]);
});

it('tells nothing when nothing changed', () => {
  expect(told()).toEqual([]);
});
