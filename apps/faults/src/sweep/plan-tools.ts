/** The tools of a world: `read` may run side by side, `act` must not run twice, `note` may. Their effects are on record. */
import type { Json } from '@bullpen/contracts';
import { harnessTools, type TaskRecord, type Tool, type ToolOutcome } from '@bullpen/core';
import type { Plan } from './plan.js';
import type { PlanModel } from './plan-model.js';
import type { RunWitness, Witness } from './witness.js';

export interface ToolPorts {
  readonly run: RunWitness;
  readonly witness: Witness;
  readonly model: PlanModel;
  readonly pass: (label: string) => Promise<unknown>;
}

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

/** The tools of one run, by name, as the task's definition lists them. */
export function planTools(task: TaskRecord, plan: Plan, ports: ToolPorts): ReadonlyMap<string, Tool> {
  const agents = plan.tasks.map(({ definition }) => definition);
  const all = [
    tool('read', 'read', 'repeat', ports),
    tool('act', 'execute', 'report', ports),
    tool('note', 'write', 'repeat', ports),
    ...harnessTools(() => task, { agents, validate: validateObject }).map((own) => watched(own, ports)),
  ];
  const byName = new Map(all.map((one) => [one.name, one]));
  return new Map(
    task.definition.tools.flatMap((name) => {
      const found = byName.get(name);
      return found ? [[name, found] as const] : [];
    }),
  );
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
  return {
    name,
    description: name,
    group,
    resume,
    inputSchema: SCHEMA,
    parse: (input) =>
      typeof (input as { n?: unknown }).n === 'number'
        ? { ok: true, value: input }
        : { ok: false, issues: ['n: must be a number'] },
    // A call of the group `execute` is decided by its command; the judge of a world approves any.
    ...(group === 'execute' ? { inspect: () => Promise.resolve({ command: name }) } : {}),
    run: async (args, context, signal): Promise<ToolOutcome> => {
      const { n } = args as { n: number };
      witness.starts(run, context.callId, name);
      if (model.unfinished.has(n))
        witness.object('other', `${name} ran for call n=${n}, which was never complete`);
      await pass(`${name} n=${n} begins`);
      if (signal.aborted) return { kind: 'result', output: 'stopped', isError: true };
      if (resume === 'report') witness.tookEffect(context.taskId, context.callId);
      await pass(`${name} n=${n} has run`);
      return { kind: 'result', output: answerOf(name, n) };
    },
  };
}

function watched(own: Tool, { run, witness, pass }: ToolPorts): Tool {
  return {
    ...own,
    run: async (args, context, signal) => {
      witness.starts(run, context.callId, own.name);
      await pass(own.name);
      return own.run(args, context, signal);
    },
  };
}
