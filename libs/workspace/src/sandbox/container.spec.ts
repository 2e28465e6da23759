/** What a command in a container can see and change, and what is left of it: against the engines that answer here. */
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { readFile, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { hostGate } from '../network/host-gate.js';
import { DEFAULT_BOX_LIMITS, type BoxedProcess, type Sandbox } from './sandbox.js';
import { BoxBench } from '../testing/box-bench.js';
import { processSpaceOf } from './box-processes.js';
import { container } from './container.js';
import { sandboxContract } from './testing/sandbox.contract.js';
import { Engine, type EngineName } from './engine.js';

/** Any with bash and node will do; nothing is pulled. */
const IMAGES = [
  'node:24-bookworm-slim',
  'node:22-bookworm-slim',
  'node:20-bookworm-slim',
  'localhost/node:24-bookworm-slim',
];

function imageOf(engine: EngineName): string | null {
  for (const image of IMAGES) {
    try {
      const trial = ['run', '--rm', '--pull', 'never', '--network', 'none', '--ulimit', 'nofile=1024:1024'];
      execFileSync(engine, [...trial, image, 'true'], { stdio: 'ignore', timeout: 20_000 });
      return image;
    } catch {
      // The next one, if there is one.
    }
  }
  return null;
}

const found = (['docker', 'podman'] as const).map((name) => ({ name, image: imageOf(name) }));
if (process.env['REQUIRE_DOCKER'] === '1' && found[0]?.image === null)
  throw new Error('REQUIRE_DOCKER=1, and there is no engine with an image of node here');

const IMAGE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
for (const { name, image } of found)
  sandboxContract({
    name,
    works: image !== null,
    contained: true,
    path: IMAGE_PATH,
    make: ({ stateFolder }) => container({ engine: new Engine(name), image: image ?? '', stateFolder }),
  });

describe.each(found)('a command in a container of $name', ({ name, image }) => {
  const itThere = image === null ? it.skip : it;
  const engine = new Engine(name);
  let bench: BoxBench;
  let sandbox: Sandbox;
  const make = (more: Partial<Parameters<typeof container>[0]> = {}): Sandbox =>
    container({ engine, image: image ?? '', stateFolder: bench.stateFolder, ...more });
  const left = (): Promise<string> =>
    engine.run(['ps', '--all', '--quiet', '--filter', `label=bullpen.worker`]);

  const start = async (command: string, signal = new AbortController().signal): Promise<BoxedProcess> =>
    sandbox.start(
      { ...(await bench.spec(command)), limits: DEFAULT_BOX_LIMITS, network: NO_RULES.network },
      signal,
    );

  beforeEach(async () => {
    bench = await BoxBench.make();
    sandbox = make();
  });
  afterEach(() => bench.remove());

  itThere('works in the workspace at its own path, as a user with a name and a home', async () => {
    const result = await bench.run(
      sandbox,
      'pwd; id -un; echo made > made; touch "$HOME/kept" /tmp/t; env; exit 3',
    );
    expect(result).toMatchObject({ exitCode: 3, signal: null, takenBack: [] });
    expect(result.output.startsWith(`${bench.workspace}\nagent\n`)).toBe(true);
    expect(result.output).not.toMatch(/BULLPEN|proxy=./i);
    expect((await stat(bench.in('made'))).uid).toBe(bench.user?.uid ?? process.getuid?.());
    expect((await bench.run(sandbox, 'ls "$HOME"; ls /tmp/t')).output).toMatch(/^kept\n.*No such file/);
    expect(await left()).toBe('');
  });

  itThere('has no capabilities, no network, and nothing of the machine', async () => {
    await writeFile(path.join(bench.base, 'neighbour'), 'SECRET');
    const { output } = await bench.run(
      sandbox,
      `grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; ls /sys/class/net; touch /x /usr/x; ls ${bench.base}; cat ${bench.base}/neighbour`,
    );
    expect(output.match(/^Cap\w+:\t0+$/gm)).toHaveLength(5);
    expect(output).toContain('NoNewPrivs:\t1\nSeccomp:\t2\nlo\n');
    expect(output.match(/Read-only file system/g)).toHaveLength(2);
    expect(output).toMatch(/\nworkspace\ncat: .*No such file or directory\n$/);
  });

  itThere(
    'does not see secrets, can read but not change what others obey, and has the rest taken back',
    async () => {
      await bench.write({
        '.env': 'KEY=1',
        'keys/id_rsa': 'K',
        'AGENTS.md': 'rules',
        'a, "b"/.env': 'KEY=2',
      });
      const result = await bench.run(
        sandbox,
        'cat .env keys/id_rsa "a, \\"b\\"/.env"; cat AGENTS.md; echo x > AGENTS.md; rm AGENTS.md; mkdir -p .vscode; echo x > .vscode/tasks.json; true',
      );
      expect(result.output).not.toMatch(/KEY|^K$/m);
      expect(result.output).toMatch(/rules/);
      expect(result.takenBack).toEqual([expect.stringContaining('.vscode')]);
      expect(await readFile(bench.in('AGENTS.md'), 'utf8')).toBe('rules');
      expect(await readFile(bench.in('.env'), 'utf8')).toBe('KEY=1');
    },
  );

  itThere('reaches opened hosts by name, and no other', async () => {
    const host: Server = createServer((_, response) => response.end('the host'));
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const { port } = host.address() as AddressInfo;
    const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }];
    const gate = hostGate({ addresses: { allowed: ['127.0.0.1/32'], lookup }, report: () => undefined });
    const network = { allow: [`open.test:${port}`], deny: [] };
    const ask = (url: string): string =>
      `node -e 'require("http").get({ host: "127.0.0.1", port: 3128, path: "${url}", headers: { host: "${url.split('/')[2]}" } }, (r) => r.pipe(process.stdout))'`;
    const command = `${ask(`http://open.test:${port}/`)}; echo; ${ask('http://other.test/')}; echo $http_proxy`;
    const { output } = await bench.run(make({ gate }), command, { network }).finally(() => host.close());
    expect(output).toMatch(/^the host\nBullpen: other.test:80 is not opened.*\nhttp:\/\/127.0.0.1:3128\n$/);
  });

  itThere('gets TERM with all that it started, and is gone with all of it at KILL', async () => {
    const stubborn = `setsid bash -c 'trap "" TERM; sleep 300' & trap 'echo term; exit 4' TERM; sleep 300 & wait`;
    const ended = await bench.run(sandbox, stubborn, { timeoutMs: 1_500 });
    expect(ended).toMatchObject({ exitCode: 4, timedOut: true, output: 'term\n' });
    const proof = await bench.run(sandbox, `trap '' TERM; while :; do sleep 1; done`, {
      timeoutMs: 1_000,
      graceMs: 500,
    });
    expect(proof).toMatchObject({ signal: 'SIGKILL', timedOut: true });
    expect(await left()).toBe('');
  });

  itThere('ends by its anchor, and when whoever started it is gone', async () => {
    for (const end of [({ anchor }: BoxedProcess) => anchor.pid, () => pidOf(`run .*${bench.workspace}`)]) {
      const running = await start('sleep 300');
      running.output.resume();
      process.kill(end(running), 'SIGKILL');
      expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
      await until(async () => (await left()) === '');
    }
  });

  itThere('is removed later when its worker died', async () => {
    const dead = [
      'run',
      '--detach',
      '--label',
      `bullpen.worker=${processSpaceOf(process.pid)} 999999999 1`,
      image ?? '',
      'sleep',
      '300',
    ];
    const alive = ['run', '--detach', '--label', 'bullpen.worker=pid:[1] 1 1', image ?? '', 'sleep', '300'];
    const [one, other] = [await engine.run(dead), await engine.run(alive)];
    await engine.removeLeftovers();
    expect(await left()).toBe(other?.slice(0, 12));
    expect(one).not.toBe(other);
    await engine.remove(other ?? '');
  });

  itThere(
    'says what is wrong when its image is not there, and never starts when it is cancelled',
    async () => {
      await expect(bench.run(make({ image: 'bullpen/nowhere' }), 'true')).rejects.toThrow(
        /does not start: .*(No such image|nowhere)/i,
      );
      const cancel = new AbortController();
      const starting = start('touch started', cancel.signal);
      cancel.abort(new Error('cancelled'));
      await expect(starting).rejects.toThrow('cancelled');
      await sleep(500);
      await expect(stat(bench.in('started'))).rejects.toThrow('ENOENT');
      expect(await left()).toBe('');
    },
  );
});

function pidOf(commandLine: string): number {
  return Number(execFileSync('pgrep', ['-f', commandLine], { encoding: 'utf8' }).split('\n')[0]);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}
