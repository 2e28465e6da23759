/** The tools of a world: `read` may run side by side, `act` must not run twice, `note` may. Their effects are on record. */
import type { Json } from '@bullpen/contracts';
import {
  defineTool,
  harnessTools,
  ToolRegistry,
  type BoundCall,
  type TaskRecord,
  type Tool,
  type ToolOutcome,
} from '@bullpen/core';
import { z } from 'zod';
import type { Plan } from './plan.js';
import type { PlanModel } from './plan-model.js';
import type { RunWitness, Witness } from './witness.js';

const OWN: readonly string[] = ['read', 'act', 'note'];

export interface ToolPorts {
  readonly run: RunWitness;
  readonly witness: Witness;
  readonly model: PlanModel;
  readonly pass: (label: string) => Promise<unknown>;
}

const input = z.looseObject({ n: z.number() });

/** The tools of one run, by name, as the task's definition lists them. */
export function planTools(task: TaskRecord, plan: Plan, ports: ToolPorts): ReadonlyMap<string, Tool> {
  const agents = plan.tasks.map(({ definition }) => definition);
  const all = [
    tool('read', 'read', 'repeat', ports),
    tool('act', 'execute', 'report', ports),
    tool('note', 'write', 'repeat', ports),
    ...harnessTools({ agents, validate: validateObject }),
  ];
  const mine = new ToolRegistry(all).toolsOf(task.definition);
  return new Map([...mine].map(([name, one]) => [name, OWN.includes(name) ? one : watched(one, ports)]));
}

/** All that the output schemas of the plans ask for. */
export function validateObject(schema: Record<string, Json>, value: Json): readonly string[] {
  const isObject = typeof value === 'object' && value !== null;
  return schema['type'] === 'object' && !isObject ? ['must be an object'] : [];
}

/** What a tool answers for the call number `n`: the checker looks for it in the call's result. */
export function answerOf(name: string, n: number): string {
  return `${name} did n=${n}.`;
}

function tool(name: string, group: Tool['group'], resume: Tool['resume'], ports: ToolPorts): Tool {
  const { run, witness, model, pass } = ports;
  return defineTool({
    ...{ name, description: name, group, resume, input },
    // A call of the group `execute` is decided by its command; the judge of a world approves any.
    ...(group === 'execute' ? { inspect: () => Promise.resolve({ command: name }) } : {}),
    run: async ({ n }, context, signal): Promise<ToolOutcome> => {
      witness.starts(run, context.callId, name);
      if (model.unfinished.has(n))
        witness.object('other', `${name} ran for call n=${n}, which was never complete`);
      await pass(`${name} n=${n} begins`);
      if (signal.aborted) return { kind: 'result', output: 'stopped', isError: true };
      if (resume === 'report') witness.tookEffect(context.task.id, context.callId);
      await pass(`${name} n=${n} has run`);
      return { kind: 'result', output: answerOf(name, n) };
    },
  });
}

function watched(own: Tool, { run, witness, pass }: ToolPorts): Tool {
  return {
    ...own,
    parse: (given) => {
      const parsed = own.parse(given);
      if (!parsed.ok) return parsed;
      const { call } = parsed;
      const watchedRun: BoundCall['run'] = async (context, signal) => {
        // A pure one only says what the step is to hold; a step of a lost lease is objected to when it is stored.
        if (own.isPure !== true) witness.starts(run, context.callId, own.name);
        await pass(own.name);
        return call.run(context, signal);
      };
      return { ok: true, call: { ...call, run: watchedRun } };
    },
  };
}
