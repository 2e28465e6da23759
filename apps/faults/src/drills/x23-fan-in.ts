import type { Drill, DrillContext, Tally } from '../drill.js';
import { FanIn } from '../stack/fan-in.js';

const CHILDREN = 10_000;
const FEW = 500;

export const fanIn: Drill = {
  id: 'X23',
  title: 'ten thousand subtasks end, and their parent is woken once, having held nothing meanwhile',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 180,
  run: async (context: DrillContext): Promise<Tally> => {
    const children = context.scale < 1 ? FEW : CHILDREN;
    const world = await FanIn.start(context);
    try {
      const violations = await world.run(children);
      const open = await world.open();
      const none = { kills: 0, restarts: 0, lost: 0, doubled: 0, paidTwice: 0 };
      return { ...none, tasks: children + 1, stuck: open, violations: [...violations] };
    } finally {
      await world.stop();
    }
  },
};
