/**
 * A guard of this process: a small shell of its own that is there also when this process is killed and nothing of it runs any more. It
 * ends what this process has on file then (`tracked-pids.ts`), and this process itself when the test run above it is gone: Jest's workers
 * would go on.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The pipe to it breaks when its process is gone. Nothing that a terminal sends ends it before.
 * $1 folder with the pids, $2 process, $3 process of the whole run (may be the same), $4 folder to remove at the end, or nothing
 */
const SCRIPT = `
trap '' HUP INT TERM
watcher=
if [ "$2" != "$3" ]; then
  (while kill -0 "$3" 2>/dev/null; do sleep 0.5; done; kill -9 "$2" 2>/dev/null) &
  watcher=$!
fi
while read -r line; do :; done
for file in "$1"/*; do
  [ -f "$file" ] && read -r owner < "$file" && [ "$owner" = "$2" ] || continue
  kill -9 "\${file##*/}" 2>/dev/null
  rm -f "$file"
done
[ -z "$watcher" ] || kill -9 "$watcher" 2>/dev/null
[ -z "$4" ] || rm -rf "$4"
`;

/** Makes sure that this process has a guard; gives the folder for the pids. Cheap when it has one. */
export function guardedFolder(): string {
  const { BULLPEN_TEST_FOLDER: run, BULLPEN_TEST_RUN_PID: runPid } = process.env;
  if (run === undefined) return (ownFolder ??= makeOwn());
  const pids = join(run, 'pids');
  mkdirSync(pids, { recursive: true });
  // Each spec file has modules of its own, also where one process runs many of them: what is there already is on file.
  const mark = join(run, `guard-of-${process.pid}`);
  if (!isAlive(readPid(mark))) writeFileSync(mark, String(start(pids, runPid ?? String(process.pid), '')));
  return pids;
}

/** Outside of a test run: for programs that judge the product. */
let ownFolder: string | null = null;

function makeOwn(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bullpen-pids-'));
  start(folder, String(process.pid), folder);
  return folder;
}

function start(pids: string, runPid: string, remove: string): number {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', pids, String(process.pid), runPid, remove], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  // Neither it nor the pipe keeps this process from ending.
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child.pid ?? NaN;
}

function readPid(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return NaN;
  }
}

function isAlive(pid: number): boolean {
  if (Number.isNaN(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
