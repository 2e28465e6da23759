/** What a started installation takes while it has nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startInstallation } from '../lab/installation.js';
import type { Lab } from '../lab/lab.js';
import { memoryOf, onCoreMs, processTree } from '../lab/process-tree.js';
import { rest } from '../lab/rest.js';
import { measure, type Backend, type Measure } from '../report/measure.js';

const figure = 'idle';
const MIB = 2 ** 20;

/** CPU and memory of all its processes together, Postgres, Redis and the simulator included. */
export async function measureIdle(lab: Lab): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const backend of lab.backends) all.push(...(await onBackend(lab, backend)));
  return all;
}

async function onBackend(lab: Lab, backend: Backend): Promise<Measure[]> {
  const windowMs = lab.quick ? 20_000 : 60_000;
  lab.say(`idle on ${backend}: ${windowMs / 1_000} s, after a rest`);
  const installation = await startInstallation(lab, backend);
  try {
    await rest(lab);
    const redis = backend === 'redis' && lab.redis !== null ? [lab.redis.pid] : [];
    const pids = () => [...processTree(installation.pid), ...redis];
    const before = new Map(pids().map((pid) => [pid, onCoreMs(pid)]));
    const startedAt = performance.now();
    await sleep(windowMs);
    const passedMs = performance.now() - startedAt;
    const after = pids();
    const busyMs = after.reduce((sum, pid) => sum + onCoreMs(pid) - (before.get(pid) ?? 0), 0);
    const bytes = after.reduce((sum, pid) => sum + memoryOf(pid), 0);
    const note = `${after.length} processes: all that \`bullpen up\` starts with two workers${redis.length > 0 ? ', and Redis' : ''}.`;
    return [
      measure({
        ...{ figure, backend, what: 'CPU of a started installation without work' },
        ...{ value: (100 * busyMs) / passedMs, unit: '% of a core', note },
        goal: { of: 'value', atMost: 2 },
      }),
      measure({
        ...{ figure, backend, what: 'its memory, shared pages counted once' },
        ...{ value: bytes / MIB, unit: 'MiB', goal: { of: 'value', atMost: 450 } },
      }),
    ];
  } finally {
    await installation.stop();
  }
}
