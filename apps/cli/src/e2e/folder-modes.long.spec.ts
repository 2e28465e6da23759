/**
 * Every folder and file of a home has the mode that docs/operations.md gives it, whatever the umask, as root and as a user.
 * Slow, because each case makes an installation with a Postgres of its own, and starts it twice.
 */
import { afterAll, expect, it } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@bullpen/client';
import { trackPid, untrackPid, waitFor } from '@bullpen/testing';

const BIN = fileURLToPath(new URL('../../bin/bullpen.js', import.meta.url));
const AM_ROOT = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Path below the home, mode for a user, mode for root. The first line that fits counts. */
const TABLE: readonly (readonly [path: RegExp, user: number, root: number])[] = [
  [/^$/, 0o700, 0o711],
  [/^(key|up\.json|up\.lock|home-id)$/, 0o600, 0o600],
  [/^logs$/, 0o700, 0o700],
  [/^logs\/[^/]+$/, 0o600, 0o600],
  [/^(workspaces|homes)$/, 0o700, 0o711],
  [/^(workspaces|homes)\/[^/]+$/, 0o700, 0o700],
  [/^shadows(\/[^/.]+)?$/, 0o700, 0o700],
  [/^shadows\/[^/]+\.copy$/, 0o600, 0o600],
  [/^outputs(\/[^/]+){0,2}$/, 0o700, 0o700],
  [/^outputs(\/[^/]+){3}$/, 0o600, 0o600],
  [/^sandbox(\/trial)?$/, 0o711, 0o711],
  [/^sandbox\/trial\/[^/]+$/, 0o700, 0o700],
  [/^sandbox\/running(\/[^/]+)?$/, 0o700, 0o700],
  [/^sandbox\/running\/[^/]+\/[^/]+$/, 0o600, 0o600],
  [/^sandbox\/machine-[^/]+$/, 0o755, 0o755],
  [/^sandbox\/etc-[^/]+$/, 0o755, 0o755],
  [/^sandbox\/etc-[^/]+\/empty-folder$/, 0, 0],
  [/^sandbox\/etc-[^/]+\/[^/]+$/, 0o444, 0o444],
  [/^code-index$/, 0o700, 0o700],
  [/^code-index\/[^/]+$/, 0o600, 0o600],
  [/^postgres$/, 0o700, 0o710],
  [/^postgres\/data$/, 0o700, 0o700],
  [/^postgres\/(password|port|owner)$/, 0o600, 0o600],
];
/** What is in these is another program's, an agent's, or a copy of what everybody may read in /etc. */
const CLOSED =
  /^(workspaces\/[^/]+|homes\/[^/]+|sandbox\/trial\/[^/]+|sandbox\/machine-[^/]+|shadows\/[^/.]+|postgres\/(data|programs))$/;

const root = mkdtempSync(join(tmpdir(), 'bullpen-modes-'));
chmodSync(root, 0o755);
const running: ChildProcess[] = [];
afterAll(async () => {
  await Promise.all(running.map(stop));
  rmSync(root, { recursive: true, force: true });
});

/** `bullpen up` in this home, with this umask, as this user. */
async function up(home: string, umask: string, user: typeof NOBODY | null): Promise<ChildProcess> {
  const script = `umask ${umask}; exec "$0" "$1" up --port 0 --workers 1 --json`;
  const child = spawn('/bin/sh', ['-c', script, process.execPath, BIN], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root, BULLPEN_HOME: home, SIM_SPEED: '100', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  running.push(child);
  if (child.pid !== undefined) trackPid(child.pid, 'bullpen up');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += String(data)));
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(output);
      return output.includes('"ready":true');
    },
    { what: 'the stack to be up' },
  );
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  if (child.pid !== undefined) untrackPid(child.pid);
}

/** A task that runs a command, so that all that is made on first use is there. */
async function runCommand(home: string): Promise<void> {
  const { url } = JSON.parse(readFileSync(join(home, 'up.json'), 'utf8')) as { url: string };
  const client = createClient({ baseUrl: url, apiKey: readFileSync(join(home, 'key'), 'utf8').trim() });
  const approvals = { alwaysAllowExecute: true, alwaysAllowWrite: true };
  const task = await client.tasks.create({ prompt: 'Run `echo made > here.txt`', approvals });
  await waitFor(async () => (await client.tasks.get(task.id)).endedAt !== null, {
    what: 'the task to end',
  });
  const calls = await client.tasks.toolCalls(task.id);
  expect(calls.data).toContainEqual(expect.objectContaining({ tool: 'run_command', isError: false }));
}

/** Each path of the home with its mode that is not as the table says. */
function wrongModes(home: string, asRoot: boolean): string[] {
  return pathsBelow(home).flatMap((path) => {
    const name = relative(home, path);
    const line = TABLE.find(([pattern]) => pattern.test(name));
    if (line === undefined) return CLOSED.test(name) ? [] : [`${name} is not in the table`];
    const mode = lstatSync(path).mode & 0o7777;
    const meant = line[asRoot ? 2 : 1];
    return mode === meant ? [] : [`${name}: ${mode.toString(8)} in place of ${meant.toString(8)}`];
  });
}

function pathsBelow(path: string, home = path): string[] {
  if (!lstatSync(path).isDirectory() || CLOSED.test(relative(home, path))) return [path];
  const names = (lstatSync(path).mode & 0o500) === 0o500 ? readdirSync(path) : [];
  return [path, ...names.flatMap((name) => pathsBelow(join(path, name), home))];
}

/** A checkout below root's own home is nobody else's to run. */
const othersCanRun = AM_ROOT && spawnSync(process.execPath, [BIN, '--version'], NOBODY).status === 0;
const asRoot = AM_ROOT ? [['root', null] as const] : [];
const asUser = AM_ROOT
  ? [['a user', NOBODY] as const].filter(() => othersCanRun)
  : [['a user', null] as const];
const everybody = [...asRoot, ...asUser];
/** Each umask once, and each user. */
const cases = ['077', '000'].flatMap((umask, at) => {
  const one = everybody[at % everybody.length];
  return one === undefined ? [] : [[one[0], umask, one[1]] as const];
});

it.each(cases)(
  'as %s with umask %s, and again where an older version had left folders open',
  async (who, umask, user) => {
    const above = join(root, `${who.replace(' ', '-')}-${umask}`);
    const home = join(above, 'home');
    mkdirSync(above);
    chmodSync(above, 0o755);
    if (user !== null) chownSync(above, user.uid, user.gid);
    const first = await up(home, umask, user);
    await runCommand(home);
    expect(wrongModes(home, who === 'root')).toEqual([]);
    await stop(first);

    const open = ['logs', 'workspaces', 'homes', 'outputs', 'sandbox', 'sandbox/trial', 'postgres'];
    for (const name of open) chmodSync(join(home, name), 0o777);
    await up(home, umask, user).then(stop);
    expect(wrongModes(home, who === 'root')).toEqual([]);
  },
  180_000,
);
