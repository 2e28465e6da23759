/**
 * Proves what a sandbox promises by trying to get out: one line runs in it as any command would, and each of its attempts says what came
 * of it. A promise that nobody tried to break is no proof.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { CommandResult } from '../processes/run-command.js';
import type { Sandbox } from './sandbox.js';
import { Trial, type TrialOptions } from './trial.js';

export interface SandboxProof {
  /** What is promised. */
  readonly promise: string;
  readonly holds: boolean;
  /** What was tried and what came of it. */
  readonly proof: string;
}

export interface ProofOptions extends TrialOptions {
  /** Folders that no command may see: the installation's, its data. */
  readonly covered: readonly string[];
}

interface Attempt {
  readonly promise: string;
  readonly tried: string;
  /** For bash. Prints nothing when the promise holds, else what it could do. */
  readonly line: string;
}

/** Of things that are really there: a file beside the workspace, a port and a process of the machine. */
interface Targets {
  readonly canary: string;
  readonly outside: string;
  readonly port: number;
  readonly pid: number;
  readonly covered: readonly string[];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function attempts({ canary, outside, port, pid, covered }: Targets): Attempt[] {
  const folders = ['/root', '/home', '/etc/shadow', '/etc/ssh', '/var/run/docker.sock', ...covered, outside];
  return [
    {
      promise: 'files outside of the workspace are not there',
      tried: `looked for ${folders.join(', ')}`,
      line: `find ${folders.map(quoted).join(' ')} -path "$PWD" -prune -o ! -type d -print 2>/dev/null`,
    },
    {
      promise: 'nothing outside of the workspace can be written',
      tried: 'wrote to /, /usr, /etc, /dev, /proc/sys',
      line: 'for place in / /usr /etc /dev /var /proc/sys/kernel; do (: > "$place/bullpen-proof") 2>/dev/null && echo "wrote $place"; done',
    },
    {
      promise: 'secrets of the workspace are not there',
      tried: 'read .env',
      line: `grep -rl ${canary} . 2>/dev/null`,
    },
    {
      promise: 'protected files can only be read',
      tried: 'wrote AGENTS.md, replaced it, moved it away',
      line: '(echo x > AGENTS.md) 2>/dev/null && echo wrote; mv -f .other AGENTS.md 2>/dev/null && echo replaced; mv AGENTS.md b 2>/dev/null && echo moved',
    },
    {
      promise: 'nothing is told of the environment of Bullpen',
      tried: 'read /proc/*/environ, /proc/*/cmdline',
      line: `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -oE '^(DATABASE_URL|REDIS_URL|ANTHROPIC|BULLPEN)[^=]*' | sort -u; cat /proc/1/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -e --bind`,
    },
    {
      promise: 'processes of the machine are out of reach',
      tried: `signalled process ${pid}, listed /proc`,
      line: `kill -0 ${pid} 2>/dev/null && echo "reached ${pid}"; [ "$(ls -d /proc/[0-9]* | wc -l)" -lt 20 ] || echo 'many processes'`,
    },
    {
      promise: 'the network is out of reach',
      tried: `connected to 127.0.0.1:${port} and 1.1.1.1:443, looked a name up`,
      line: `for to in 127.0.0.1/${port} 1.1.1.1/443; do (timeout 2 bash -c "exec 3<>/dev/tcp/$to") 2>/dev/null && echo "connected to $to"; done; getent hosts example.com`,
    },
    {
      promise: 'no privileges, and none to be had',
      tried: 'read the capabilities, made a user namespace',
      line: `grep -E '^Cap' /proc/self/status | grep -v ':.0*$'; grep -q '^NoNewPrivs:.1' /proc/self/status || echo 'new privileges'; unshare -U true 2>/dev/null && echo 'made a namespace'`,
    },
    {
      promise: 'system calls are filtered',
      tried: 'read /proc/self/status',
      line: `grep -q '^Seccomp:.2' /proc/self/status || echo 'no filter'`,
    },
    {
      promise: 'no descriptors are inherited',
      tried: 'listed /proc/self/fd',
      line: '[ -z "$inherited" ] || echo "descriptors$inherited"',
    },
    {
      promise: 'processes, files, open files and core dumps have limits',
      tried: 'ulimit',
      line: 'for limit in u n f c; do [ "$(ulimit -H$limit)" = unlimited ] && echo "no limit $limit"; done',
    },
  ];
}

/** Runs them all. Throws what the sandbox throws when it does not start. */
export async function proveSandbox(sandbox: Sandbox, options: ProofOptions): Promise<SandboxProof[]> {
  const mark = randomBytes(6).toString('hex');
  const trial = new Trial(options, `proof-${mark}`);
  const folder = path.join(options.stateFolder, `proof-${mark}`);
  const server = createServer((socket) => socket.destroy());
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const targets = prepare(trial, folder, mark, (server.address() as AddressInfo).port, options);
    const all = attempts(targets);
    const result = await trial.run(sandbox, `${lineOf(all)}\n${LEAVE_BEHIND(mark)}`);
    return [...all.map((each, index) => judged(each, result, index)), takenBack(result), leftBehind(mark)];
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function prepare(
  trial: Trial,
  folder: string,
  canary: string,
  port: number,
  { covered }: ProofOptions,
): Targets {
  const outside = path.join(folder, 'neighbour');
  writeFileSync(outside, canary);
  trial.write('.env', canary);
  for (const name of ['AGENTS.md', '.other']) trial.write(name, 'text');
  return { canary, outside, port, pid: process.pid, covered };
}

/** Before anything else is opened. */
const LOOK_AT_DESCRIPTORS =
  'for fd in /proc/$$/fd/*; do [ "${fd##*/}" -gt 2 ] && [ -L "$fd" ] && inherited="$inherited ${fd##*/}"; done';

/** Each attempt answers on lines that begin with its number. */
function lineOf(all: readonly Attempt[]): string {
  const parts = all.map(
    ({ line }, index) => `{ ${line}\n} 2>&1 | head -n 5 | sed 's/^/@${index} /'; echo '@${index} done'`,
  );
  return [LOOK_AT_DESCRIPTORS, ...parts].join('\n');
}

function judged({ promise, tried }: Attempt, { output }: CommandResult, index: number): SandboxProof {
  const said = output
    .split('\n')
    .filter((line) => line.startsWith(`@${index} `))
    .map((line) => line.slice(`@${index} `.length));
  const could = said.filter((line) => line !== 'done');
  const wasTried = said.includes('done');
  const result = !wasTried ? 'was not tried' : could.length === 0 ? 'in vain' : could.join('; ');
  return { promise, holds: wasTried && could.length === 0, proof: `${tried}: ${result}` };
}

/** Makes something protected, and something that leaves its group on purpose. */
const LEAVE_BEHIND = (mark: string): string =>
  `echo {} > .mcp.json; (setsid sleep 6${Number.parseInt(mark.slice(0, 6), 16)} >/dev/null 2>&1 &); sleep 0.1`;

function takenBack({ takenBack: paths }: CommandResult): SandboxProof {
  const holds = paths.includes('.mcp.json');
  const proof = `made .mcp.json: ${holds ? 'it was taken back' : 'it stayed'}`;
  return { promise: 'what appears under a protected name is taken back', holds, proof };
}

function leftBehind(mark: string): SandboxProof {
  const seconds = `6${Number.parseInt(mark.slice(0, 6), 16)}`;
  const left = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && argumentsOf(name).includes(`\0${seconds}\0`),
  );
  const proof = `started a process with setsid: ${left.length === 0 ? 'it ended with the command' : 'it is still there'}`;
  return { promise: 'nothing outlives its command', holds: left.length === 0, proof };
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    // Gone meanwhile.
    return '';
  }
}
