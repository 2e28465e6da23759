import type { AnnouncedWake } from '@bullpen/contracts';
import { silentLogger } from '@bullpen/platform';
import { openTaskQueue, type TaskQueue } from '@bullpen/queue';
import type { DrillContext } from '../drill.js';
import { tasksOf } from '../stack/books.js';
import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { mixed, scaled } from '../stack/workload.js';

export const strangeWakes = defineDrill({
  id: 'X9',
  title: 'wakes come five times, out of order, for ended and for unknown tasks',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 60,
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(40, context.scale)));
    const queue = openTaskQueue(stack.queue, silentLogger());
    let tries = 1_000;
    try {
      await storm(stack, context, 15 * context.scale, [50, 400], async () => {
        const ids = (await tasksOf(stack.database.pool)).map(({ id }) => id);
        tries += 5;
        await queue.announce(wakesFor(ids, tries, context));
        await announceUnknown(queue, tries);
      });
    } finally {
      await queue.close();
    }
  },
});

/** A handful of tasks, each with old, present and future wake numbers, five times, shuffled. */
function wakesFor(ids: readonly string[], tries: number, { random }: DrillContext): readonly AnnouncedWake[] {
  const chosen = ids.filter(() => random() < 4 / ids.length);
  const wakes = chosen.flatMap((taskId) =>
    [1, 2, 3, 4].flatMap((wake) =>
      Array.from({ length: 5 }, (_, at) => ({ taskId, wake, tries: tries + at })),
    ),
  );
  return wakes
    .map((wake) => ({ wake, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ wake }) => wake);
}

function announceUnknown(queue: TaskQueue, tries: number): Promise<unknown> {
  return queue.announce([{ taskId: `task_${'0'.repeat(26)}`, wake: 1, tries }]);
}
