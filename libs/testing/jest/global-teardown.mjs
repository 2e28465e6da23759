/** After a test run: stops the Postgres of the run and whatever crashed specs left running, and removes the run's folder. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_TIMEOUT_MS = 20_000;

export default async function globalTeardown() {
  const folder = process.env.BULLPEN_TEST_FOLDER;
  killLeftovers(join(folder, 'pids'));
  const server = join(folder, 'server.json');
  if (existsSync(server)) {
    const { ownerPid } = JSON.parse(readFileSync(server, 'utf8'));
    if (typeof ownerPid === 'number') await stop(ownerPid);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Files that name processes (`src/tracked-pids.ts`): what a spec that ended in order has started is no longer among them. */
function killLeftovers(folder) {
  if (!existsSync(folder)) return;
  for (const pid of readdirSync(folder)) {
    if (!isAlive(Number(pid))) continue;
    const [, what] = readFileSync(join(folder, pid), 'utf8').split('\n');
    console.warn(`A spec left ${what} (process ${pid}) running; it is killed.`);
    process.kill(Number(pid), 'SIGKILL');
  }
}

async function stop(pid) {
  if (isAlive(pid)) process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`The test database (process ${pid}) does not stop`);
    await sleep(20);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
