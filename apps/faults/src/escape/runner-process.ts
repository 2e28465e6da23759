/**
 * The process that stands for a worker: it has the keys in its environment, meets the inputs and starts the boxes. Told what to do
 * by its parent, which ends it when it hangs.
 */
import { join } from 'node:path';
import {
  chooseSandbox,
  hostGate,
  nobodyUser,
  sandboxCandidates,
  startCost,
  type CommandUser,
  type Sandbox,
} from '@bullpen/workspace';
import { Arena, INSTALLATION } from './arena.js';
import { inputs } from './inputs/index.js';
import { probes } from './probes/index.js';
import { runAttack, type Outcome } from './run-attacks.js';

/** What the parent sends. */
export interface Orders {
  readonly folder: string;
  readonly unboxed: boolean;
  readonly names: readonly string[];
  /** What it will find in its environment, by name. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What it sends back. */
export type Report =
  | { readonly type: 'began'; readonly level: string; readonly startCostMs: number | null }
  | { readonly type: 'attack'; readonly name: string }
  | { readonly type: 'outcome'; readonly outcome: Outcome };

function tell(report: Report): void {
  process.send?.(report);
}

/** As a worker chooses, with the homes of the arena. */
function stateFolderIn(folder: string): string {
  return join(folder, 'bullpen', 'sandbox');
}

async function chosenSandbox({ folder, unboxed: isOff }: Orders, user: CommandUser | null): Promise<Sandbox> {
  const home = join(folder, 'bullpen');
  const candidates = sandboxCandidates({
    stateFolder: stateFolderIn(folder),
    covered: [home, INSTALLATION],
    user,
    gate: hostGate({ addresses: { allowed: [] }, report: () => undefined }),
    onProblem: (error) => process.stderr.write(`the workspace was not looked after: ${String(error)}\n`),
  });
  const { sandbox, problems } = await chooseSandbox(isOff ? 'off' : 'auto', candidates);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  return sandbox;
}

async function run(orders: Orders): Promise<void> {
  const user = process.getuid?.() === 0 ? await nobodyUser() : null;
  const sandbox = await chosenSandbox(orders, user);
  const arena = await Arena.open({ ...orders, sandbox, user });
  const cost =
    sandbox.level === 'none'
      ? null
      : await startCost(sandbox, { stateFolder: stateFolderIn(orders.folder), user });
  tell({ type: 'began', level: sandbox.level, startCostMs: cost && cost.differenceMs });
  const attacks = new Map([...inputs, ...probes].map((attack) => [attack.name, attack]));
  for (const name of orders.names) {
    const attack = attacks.get(name);
    if (attack === undefined) throw new Error(`There is no attack ${name}`);
    tell({ type: 'attack', name });
    tell({ type: 'outcome', outcome: await runAttack(arena, attack) });
  }
  arena.close();
}

process.once('message', (orders: Orders) => {
  run(orders).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(2);
    },
  );
});
