/** A drill is: a stack, faults while tasks run, healing, the verdict. Everything but the faults is the same for all of them. */
import type { Drill, DrillContext, Tally } from '../drill.js';
import { judge, type Expectations } from './judge.js';
import { Stack, type StackOptions } from './stack.js';

export interface DrillScript extends Omit<Drill, 'run'> {
  readonly stack?: StackOptions;
  readonly expect?: Expectations;
  /** Submits tasks and does harm. What it leaves broken is healed after it. Gives what it found wrong itself. */
  act(stack: Stack, context: DrillContext): Promise<readonly string[] | void>;
  /** Why it cannot run here; null when it can. */
  readonly impossible?: (context: DrillContext) => string | null;
}

/** The drill of a script. */
export function defineDrill(script: DrillScript): Drill {
  const { stack: options = {}, expect = {}, act, impossible, ...drill } = script;
  return {
    ...drill,
    run: async (context) => {
      const reason = impossible?.(context) ?? null;
      if (reason !== null) {
        context.log(`skipped: ${reason}`);
        return nothing();
      }
      const stack = await Stack.start(context, options);
      try {
        const found = (await act(stack, context)) ?? [];
        await stack.heal();
        context.log('all is healed');
        const tally = await judge(stack, expect);
        return { ...tally, violations: [...found, ...tally.violations] };
      } finally {
        await stack.stop();
      }
    },
  };
}

function nothing(): Tally {
  return { tasks: 0, kills: 0, restarts: 0, lost: 0, doubled: 0, paidTwice: 0, stuck: 0, violations: [] };
}
