/** Plans by the dozen: the usual mix of what agents do. */
import type { Plan, Step } from './plan.js';

const LEAF: readonly Step[] = [{ do: 'write' }, { do: 'effect' }];

/** A few turns with reading tools and effects. */
export function worker(key: string): Plan {
  return {
    key,
    steps: [{ do: 'write' }, { do: 'effect' }, { do: 'read' }, { do: 'effect' }, { do: 'todo' }],
  };
}

/** Two levels of subtasks below it, and an effect before and after them. */
export function tree(key: string): Plan {
  const leaf = (name: string): Plan => ({ key: `${key}.${name}`, steps: LEAF });
  const middle: Plan = {
    key: `${key}.m`,
    steps: [{ do: 'subtasks', plans: [leaf('m.a'), leaf('m.b')] }, { do: 'effect' }],
  };
  return { key, steps: [{ do: 'effect' }, { do: 'subtasks', plans: [middle, leaf('a')] }, { do: 'effect' }] };
}

/** One that only asks the model. */
function talker(key: string): Plan {
  return { key, steps: [], chars: 400 };
}

/** `count` roots: half of them workers, a quarter trees, a quarter talkers. */
export function mixed(count: number, prefix = 't'): readonly Plan[] {
  return Array.from({ length: count }, (_, at) => {
    const key = `${prefix}${at}`;
    if (at % 4 === 1) return tree(key);
    return at % 4 === 3 ? talker(key) : worker(key);
  });
}

/** At least `least`, and `normal` times the scale of the form. */
export function scaled(normal: number, scale: number, least = 4): number {
  return Math.max(least, Math.round(normal * scale));
}
