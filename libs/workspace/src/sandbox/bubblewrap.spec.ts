/** What a command in a box can see and change, and what is left of it. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { hostGate } from '../network/host-gate.js';
import { bubblewrap } from './bubblewrap.js';
import type { CommandResult, CommandSpec } from '../processes/run-command.js';
import type { Sandbox } from './sandbox.js';
import { BoxBench, itInBox } from '../testing/box-bench.js';

let bench: BoxBench;
let sandbox: Sandbox;

beforeEach(async () => {
  bench = await BoxBench.make();
  sandbox = bubblewrap({ stateFolder: bench.stateFolder });
});
afterEach(() => bench.remove());

const run = (command: string, more?: Partial<CommandSpec>): Promise<CommandResult> =>
  bench.run(sandbox, command, more);

describe('a command in a box', () => {
  itInBox('works in the workspace at its own path, as a user with a home', async () => {
    const result = await run('pwd; id -un; echo made > made; touch "$HOME/kept" "$TMPDIR/t"; exit 3');
    expect(result).toMatchObject({ exitCode: 3, signal: null, output: `${bench.workspace}\nagent\n` });
    expect(await readFile(bench.in('made'), 'utf8')).toBe('made\n');
    expect((await run('ls "$HOME"; find /tmp -type f -not -path "$PWD/*"')).output).toBe('kept\n');
  });

  itInBox('sees programs and its workspace, and nothing else of the machine', async () => {
    await writeFile(path.join(bench.base, 'neighbour'), 'SECRET');
    const result = await run(
      `ls / ; ls -A ${bench.base} /root /home /var /run /etc/shadow /etc/ssh 2>&1; cat ${bench.base}/neighbour`,
    );
    expect(result.output).toMatch(/No such file or directory\n$/);
    expect(result.output).not.toContain('SECRET');
    for (const name of ['/root', '/home', '/etc/shadow', '/etc/ssh'])
      expect(result.output).toContain(`cannot access '${name}'`);
    expect(result.output).toContain(`${bench.base}:\nworkspace\n`);
  });

  itInBox('sees nothing of the installation, though PATH leads into it', async () => {
    const installation = path.join(bench.base, 'installation');
    const programs = path.join(bench.base, 'programs');
    await mkdir(path.join(installation, 'bin'), { recursive: true });
    await mkdir(programs);
    await writeFile(path.join(installation, 'bin/own'), '#!/bin/sh\necho SECRET\n', { mode: 0o755 });
    await writeFile(path.join(programs, 'other'), '#!/bin/sh\necho other\n', { mode: 0o755 });
    await symlink(path.join(installation, 'bin/own'), path.join(programs, 'own'));
    const boxes = bubblewrap({ stateFolder: bench.stateFolder, covered: [installation] });
    const searchPath = `${programs}:${installation}/bin:/usr/bin:/bin`;
    const { output } = await bench.run(boxes, `other; own; ls ${installation}`, { path: searchPath });
    expect(output).toMatch(/^other\n.*own: (command not found|No such file)[^]*No such file or directory\n$/);
  });

  itInBox('has no capabilities, no network and no process but its own', async () => {
    const { output } = await run(
      'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; ls /sys/class/net 2>&1; ' +
        'cat /proc/net/dev | grep -c :; ls -d /proc/[0-9]* | wc -l; ls /proc/1; ls /proc/self/fd | wc -l',
    );
    expect(output.match(/^Cap\w+:\t0+$/gm)).toHaveLength(5);
    expect(output).toContain('NoNewPrivs:\t1\nSeccomp:\t2\n');
    // The loopback alone; process 1, the shell and the three of the line itself; three descriptors and that of the listing.
    expect(output).toMatch(/\n1\n\d\n4\n$/);
  });

  itInBox('sees nothing of the environment of the worker, in no process', async () => {
    process.env['BULLPEN_TEST_CANARY'] = 'sk-canary';
    const { output } = await run('env; cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"');
    delete process.env['BULLPEN_TEST_CANARY'];
    expect(output).not.toContain('canary');
    expect(output).not.toContain('--bind');
  });

  itInBox('does not see secrets, and can read but not change what others obey', async () => {
    await bench.write({
      '.env': 'TOKEN=SECRET',
      'deep/er/id_rsa': 'SECRET',
      '.aws/credentials': 'SECRET',
      'hid/x': 'SECRET',
      '.bullpenignore': 'hid/\n',
      'AGENTS.md': 'obey',
      '.github/workflows/ci.yml': 'on: push',
    });
    const result = await run(
      'cat .env deep/er/id_rsa; ls -A .aws hid; cat AGENTS.md; echo x > AGENTS.md; rm -rf .github; mv .github g; ' +
        'echo x > .env; grep -r SECRET . ; mv deep deeper; cat deeper/er/id_rsa',
    );
    expect(result.output).not.toContain('SECRET');
    expect(result.output).toContain('obey');
    expect(result.takenBack).toEqual([]);
    expect(await readFile(bench.in('AGENTS.md'), 'utf8')).toBe('obey');
    expect(await readFile(bench.in('.github/workflows/ci.yml'), 'utf8')).toBe('on: push');
    expect(await readFile(bench.in('deeper/er/id_rsa'), 'utf8')).toBe('SECRET');
  });

  itInBox('has what it makes under a protected name taken back', async () => {
    const result = await run(
      'echo "{}" > .mcp.json; mkdir -p sub/.vscode; echo x > sub/.vscode/tasks.json; echo x > sub/.envrc; git init -q; ' +
        'git commit -q --allow-empty -m first; echo x > .git/hooks/pre-commit; git config core.fsmonitor ./x; echo ok > fine',
    );
    expect(result.takenBack).toEqual([
      ...['.git/config', '.git/hooks', '.mcp.json', 'sub/.envrc', 'sub/.vscode'],
    ]);
    expect((await readdir(bench.workspace)).sort()).toEqual(['.git', 'fine', 'sub']);
    expect((await run('git log --format=%s; git status --short')).output).toBe('first\n?? fine\n');
  });
});

describe('hosts that the policy opens', () => {
  itInBox('are reached, by name and through the proxy; others are not', async () => {
    const server = createServer((_, response) => response.end('the host'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }];
    const gate = hostGate({ addresses: { allowed: ['127.0.0.1/32'], lookup }, report: () => undefined });
    const boxes = bubblewrap({ stateFolder: bench.stateFolder, gate });
    const network = { allow: [`open.test:${port}`], deny: [] };
    const line = `curl -s http://open.test:${port}/; curl -s http://127.0.0.1:${port}/ || echo " $?"; curl -s http://shut.test/ | head -c 30`;
    const { output, refusedHosts } = await bench.run(boxes, line, { network });
    const none = await bench.run(boxes, `curl -s http://open.test:${port}/ || echo $?`);
    server.close();
    expect(output).toMatch(/^the host 7\nBullpen: shut.test/);
    expect(refusedHosts).toEqual([
      expect.stringContaining('bullpen policy allow shut.test --kind host, or --allow-host shut.test'),
    ]);
    expect(none.output).toBe('6\n');
  });
});
