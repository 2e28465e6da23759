/** Every place where a process can die, be cut off or be stopped, one after the other, for each kind of turn. */
import type { ModeDefinition } from '@bullpen/contracts';
import { faultAt } from './faults.js';
import { definitionOf, planOf, type Plan, type PlannedStep, type TaskPlan, type UserAct } from './plan.js';
import { runSeed, type SeedResult } from './run-seed.js';
import type { Verdict } from './scheduler.js';

const VERDICTS: readonly Verdict[] = ['die', 'cut', 'stall'];

const step = (turn: PlannedStep['turn']): PlannedStep => ({ turn, faults: [] });

/** A task on one worker, or on two: then the second takes over while the first is stopped. */
function world(workers: number, ...turns: readonly (readonly PlannedStep['turn'][])[]): Plan {
  const tasks: TaskPlan[] = turns.map((steps, index) =>
    planOf(index, definitionOf(index), [...steps, { kind: 'text' as const }].map(step)),
  );
  return { tasks, acts: [], workers };
}

const mode = (name: string, to: string): ModeDefinition => ({
  ...{ name, phase: 0, description: name, prompt: name, groups: ['read', 'execute'], asks: 'nothing' },
  rules: [{ on: `to_${to}`, to, priority: 9, when: null, means: to }],
});

/** Through two work modes and back, with a trigger that leads nowhere. */
export function modesWorld(): Plan {
  const { tasks, ...rest } = world(2, [
    { kind: 'signal', trigger: 'to_work' },
    { kind: 'calls', tools: ['act'], cut: false },
    { kind: 'signal', trigger: 'to_nowhere' },
    { kind: 'signal', trigger: 'to_idle' },
  ]);
  const machine = { modes: [mode('idle', 'work'), mode('work', 'idle')], asks: null };
  return {
    ...rest,
    tasks: tasks.map((task) => ({ ...task, definition: { ...task.definition, machine } })),
  };
}

/** Somebody does this to the root while it is in the midst of its calls. */
function disturbed(plan: Plan, kind: UserAct['kind']): Plan {
  return { ...plan, acts: [{ kind, atMs: 250, target: 0 }] };
}

const EFFECTS = world(2, [{ kind: 'calls', tools: ['act', 'note', 'act'], cut: false }]);

/** The kinds of turns: an answer, calls side by side, calls with effects (also while a person steps in), and subtasks that are waited for. */
const KINDS: readonly (readonly [title: string, plan: Plan])[] = [
  ['text only', world(1, [])],
  ['parallel reads', world(2, [{ kind: 'calls', tools: ['read', 'read', 'read'], cut: false }])],
  ['effects', EFFECTS],
  ['work modes', modesWorld()],
  ['effects, paused', disturbed(EFFECTS, 'pause')],
  ['effects, interrupted', disturbed(EFFECTS, 'interrupt')],
  [
    'spawn and wait',
    world(
      2,
      [
        { kind: 'spawn', plans: [1, 2], reads: 1 },
        { kind: 'wait', mode: 'all' },
      ],
      [{ kind: 'calls', tools: ['act'], cut: false }],
      [],
    ),
  ],
];

export interface ExhaustiveResult {
  readonly title: string;
  readonly worlds: number;
  /** Worlds in which something did not hold, with what went wrong where. */
  readonly failures: readonly { readonly at: string; readonly result: SeedResult }[];
}

/** Runs each kind, or those named, with each fault at each place. The seed decides the rest of the interleaving. */
export async function sweepEveryPlace(
  seed: number,
  signal: AbortSignal,
  titles: readonly string[] = KINDS.map(([title]) => title),
): Promise<ExhaustiveResult[]> {
  const results: ExhaustiveResult[] = [];
  for (const [title, plan] of KINDS.filter(([name]) => titles.includes(name))) {
    const failures: { at: string; result: SeedResult }[] = [];
    let worlds = 0;
    for (const verdict of VERDICTS) {
      let reached = true;
      // The number of places is known only from having been there: the last place is the first that is not reached.
      for (let place = 1; reached && !signal.aborted; place += 1) {
        const faults = faultAt(place, verdict);
        const result = await runSeed(seed, { plan, faults });
        reached = faults.places() >= place;
        worlds += 1;
        if (result.violations.length > 0)
          failures.push({ at: `${title}: ${verdict} at place ${place}`, result });
      }
    }
    results.push({ title, worlds, failures });
  }
  return results;
}
