/** Workspaces that broke other sandboxes: odd links, names that are not there, repositories that lie elsewhere. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { waitFor } from '@bullpen/testing';
import type { CommandResult, CommandSpec } from '../processes/run-command.js';
import { BoxBench, itInBox } from '../testing/box-bench.js';
import { writeFileInside } from '../open-inside.js';
import { bubblewrap } from './bubblewrap.js';
import type { Sandbox } from './sandbox.js';

let bench: BoxBench;
let sandbox: Sandbox;
beforeEach(async () => {
  bench = await BoxBench.make();
  sandbox = bubblewrap({ stateFolder: bench.stateFolder });
});
afterEach(() => bench.remove());

const run = (command: string, more?: Partial<CommandSpec>): Promise<CommandResult> =>
  bench.run(sandbox, command, more);
const link = (target: string, name: string): void => symlinkSync(target, bench.in(name));
const text = (name: string): string => readFileSync(bench.in(name), 'utf8');

describe('protected names that are not there', () => {
  itInBox('leave nothing behind', async () => {
    await bench.folder('sub');
    await run('git init -q && git commit -q --allow-empty -m first');
    const before = readdirSync(bench.workspace, { recursive: true }).sort();
    await run('true');
    expect(readdirSync(bench.workspace, { recursive: true }).sort()).toEqual(before);
    expect((await run('git status --short')).output).toBe('');
  });
});

describe('what is written under a protected name while a command runs', () => {
  itInBox('by a tool stays, with the folder that it made; what the command adds to it does not', async () => {
    const running = bench.run(
      sandbox,
      'echo ready; while [ ! -e .github/ci.yml ]; do sleep 0.05; done; echo evil > .github/evil.yml; echo evil > .mcp.json',
    );
    const place = {
      root: bench.workspace,
      relative: '.github/ci.yml',
      absolute: bench.in('.github/ci.yml'),
      exists: false,
    };
    // Not before the box has seen the workspace without it.
    await waitFor(() => existsSync(path.join(bench.stateFolder, 'running')), { what: 'the record of a run' });
    expect(await writeFileInside(place, 'on: push', 'w1')).toEqual({ ok: true, created: true });
    expect((await running).takenBack).toEqual(['.github/evil.yml', '.mcp.json']);
    expect(text('.github/ci.yml')).toBe('on: push');
  });

  itInBox('by the command of a worker that was killed is taken back before the next one', async () => {
    const record = path.join(bench.stateFolder, 'running');
    await run('true');
    const [folder = ''] = readdirSync(record);
    const gone = { pid: 1, startTicks: 1, entries: [], identities: [] };
    writeFileSync(path.join(record, folder, '1-1.json'), JSON.stringify(gone));
    await bench.write({ '.mcp.json': '{}' });
    expect(await run('ls -A')).toMatchObject({ output: '', takenBack: ['.mcp.json'] });
    expect(readdirSync(path.join(record, folder))).toEqual([]);
  });
});

describe('links', () => {
  itInBox('under a protected name: what they lead to is protected, and they stay', async () => {
    await bench.write({ 'docs/rules.md': 'rules', 'config/dev.env': 'SECRET', 'hooks/pre-commit': 'exit 0' });
    await run('git init -q; rm -rf .git/hooks');
    link('docs/rules.md', 'AGENTS.md');
    link('config/dev.env', '.env');
    link('../hooks', '.git/hooks');
    const result = await run(
      'cat AGENTS.md; echo evil > docs/rules.md; echo evil > hooks/pre-commit; cat config/dev.env .env; ' +
        'rm AGENTS.md; echo evil > AGENTS.md; rm .git/hooks; mkdir .git/hooks; echo evil > .git/hooks/pre-commit',
    );
    expect(result.output).toMatch(/^rules/);
    expect(result.output).not.toContain('SECRET');
    expect([text('docs/rules.md'), text('hooks/pre-commit')]).toEqual(['rules', 'exit 0']);
    expect([readlinkSync(bench.in('AGENTS.md')), readlinkSync(bench.in('.git/hooks'))]).toEqual([
      'docs/rules.md',
      '../hooks',
    ]);
    expect(result.takenBack).toEqual(['.git/hooks', 'AGENTS.md']);
  });

  itInBox('that lead nowhere, outside or in a circle do not stop a box', async () => {
    await bench.write({ 'x/y': '' });
    link('/elsewhere/g', '.git');
    link('nowhere', '.env');
    link('/etc/shadow', 'id_rsa');
    link('AGENTS.md', 'AGENTS.md');
    link('/', 'x/.ssh');
    link('..', 'x/up');
    const { output, exitCode } = await run('echo here; cat id_rsa 2>&1; ls x/.ssh/root');
    expect(output).toMatch(/^here\n/);
    expect(output).not.toContain('root:');
    expect(exitCode).not.toBe(0);
  });

  itInBox('on the way of a protected path never make a box write outside', async () => {
    await bench.write({ 'deep/.env': 'x' });
    renameSync(bench.in('deep'), bench.in('real'));
    for (const target of ['../../oldroot/tmp', '/oldroot/tmp']) {
      link(target, 'deep');
      expect((await run('echo here')).output).toBe('here\n');
      execFileSync('rm', [bench.in('deep')]);
    }
    expect(existsSync('/tmp/.env')).toBe(false);
  });

  itInBox(
    'that come and go while another command starts are no way out, and uncover nothing',
    async () => {
      await bench.write({ 'deep/.env': 'SECRET', 'deep/AGENTS.md': 'rules', 'deep/.aws/x': 'SECRET' });
      const target = path.join(bench.base, 'outside');
      execFileSync('mkdir', ['-m', '777', target]);
      const swap = `while :; do mv deep real; ln -s ../../../oldroot${target} deep; rm deep; mv real deep; done 2>/dev/null`;
      const running = bench.run(sandbox, `echo up; ${swap}`, { timeoutMs: 6_000, graceMs: 100 });
      await waitFor(() => existsSync(path.join(bench.stateFolder, 'running')), { what: 'the swapper' });
      let started = 0;
      for (let count = 0; count < 25; count += 1) {
        const result = await run('cat */.env */.aws/x; echo ran').catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'tool_failed' });
          return null;
        });
        if (result !== null) started += 1;
        expect(result?.output ?? '').not.toContain('SECRET');
      }
      await running;
      expect(readdirSync(target)).toEqual([]);
      expect(started).toBeGreaterThan(0);
    },
    60_000,
  );

  itInBox('a folder that becomes a link between two commands is not followed', async () => {
    await bench.write({ 'sub/.npmrc': 'SECRET', 'other/file': 'x' });
    await run('true');
    await run('mv sub sub2; ln -s other sub');
    const { output } = await run('ls sub; cat sub2/.npmrc');
    expect(output).toBe('file\n');
    expect(existsSync(bench.in('other/.npmrc'))).toBe(false);
  });
});

describe('other names of a protected file', () => {
  itInBox('hide it and keep it as well', async () => {
    await bench.write({ '.env': 'SECRET', 'AGENTS.md': 'rules' });
    linkSync(bench.in('.env'), bench.in('plain.txt'));
    linkSync(bench.in('AGENTS.md'), bench.in('notes.md'));
    const { output } = await run('cat plain.txt; echo evil > notes.md; cat notes.md');
    expect(output).not.toContain('SECRET');
    expect(text('AGENTS.md')).toBe('rules');
  });
});

describe('a repository', () => {
  itInBox('can be worked in; what makes git run programs can not be changed', async () => {
    await run('git init -q; echo 1 > a; git add a; git commit -qm one');
    const { output, takenBack } = await run(
      'echo 2 > a; git commit -qam two; git switch -qc b; echo 3 > a; git stash -q; git stash pop -q; git tag t; ' +
        'git worktree add -q wt; git gc -q; git log --oneline | wc -l; git config x.y z; git -C wt status --short; mv .git g',
    );
    expect(output).toMatch(/^2\n/);
    expect(output).toContain("cannot move '.git'");
    expect(text('.git/config')).not.toContain('[x]');
    expect(takenBack).toEqual([]);
  });

  itInBox('does not take its settings from where a command wants', async () => {
    await run('git init -q');
    const { takenBack } = await run(
      'mkdir evil; printf "[core]\\nfsmonitor=touch RAN\\n" > evil/config; echo ../evil > .git/commondir; cp evil/config .git/config.worktree; echo "* filter=x" > .git/info/attributes',
    );
    expect(takenBack).toEqual(['.git/commondir', '.git/config.worktree', '.git/info/attributes']);
    expect((await run('git status --short; ls')).output).toBe('?? evil/\nevil\n');
  });

  itInBox('of a submodule or a work tree that lies elsewhere gives no way there', async () => {
    execFileSync('git', ['init', '-q', path.join(bench.base, 'main')]);
    await bench.write({ '.git': `gitdir: ${bench.base}/main/.git\n` });
    const before = text('.git');
    const { output, takenBack } = await run(
      `ls ${bench.base}; git status 2>&1 | head -1; echo "gitdir: /root/.ssh" > .git; mkdir s; echo "gitdir: /root/.ssh" > s/.git`,
    );
    expect(output).toContain('workspace\n');
    expect(output).not.toContain('main\n');
    expect([text('.git'), takenBack]).toEqual([before, ['s/.git']]);
  });
});

describe('many secrets', () => {
  itInBox('behind a link into a folder that is not there do not stop a box', async () => {
    const store = path.join(bench.base, 'store');
    execFileSync('mkdir', [store]);
    for (let index = 0; index < 2_000; index += 1) writeFileSync(path.join(store, `${index}.pem`), 'SECRET');
    link(store, 'deps');
    expect((await run('cat deps/*.pem 2>&1 | head -c 100; echo')).output).toContain('No such file');
  });

  itInBox('in one workspace are hidden all the same, and soon', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `f ${index % 40}/#\\${index}.pem`);
    await bench.write(Object.fromEntries(names.map((name) => [name, 'SECRET'])));
    await bench.write({ 'f 1/AGENTS.md': 'rules', 'f 1/.env.\n': 'SECRET' });
    const { output, exitCode, durationMs } = await run(
      'cat f*/*.pem f*/.env*; ls f*/*.pem | wc -l; (echo x > "f 1/#\\1.pem"; echo x > "f 1/AGENTS.md") 2>&1 | wc -l; grep ^Cap /proc/self/status | grep -c ":.0*$"; id -u; unshare -U true; echo $?',
    );
    expect({ output, exitCode }).toEqual({
      output: '500\n2\n5\n1000\nunshare: unshare failed: Operation not permitted\n1\n',
      exitCode: 0,
    });
    expect(durationMs).toBeLessThan(10_000);
    expect(readdirSync(path.join(bench.stateFolder, 'stages'))).toEqual([]);
  });
});

describe('odd machines', () => {
  itInBox(
    'sockets of the machine in the workspace are not there; those of the box have short paths',
    async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(bench.in('host.sock'), resolve));
      execFileSync('chmod', ['777', bench.in('host.sock')]);
      const connect = `node -e 'require("net").connect("host.sock").on("connect", () => console.log("reached")).on("error", (e) => console.log(e.code))'`;
      const { output } = await run(
        `${connect}; mkdir -p "$TMPDIR/run-1/agent" && node -e 'require("net").createServer().listen(process.env.TMPDIR + "/run-1/agent/control.sock", () => { console.log("listens"); process.exit() })'`,
      );
      server.close();
      expect(output).toMatch(/^E[A-Z]+\nlistens\n$/);
    },
  );

  itInBox('shared memory and semaphores work', async () => {
    const { output } = await run(
      'mktemp -p /dev/shm >/dev/null && python3 -c "from multiprocessing import Pool; print(sum(Pool(2).map(abs, [-1, -2])))"',
    );
    expect(output).toBe('3\n');
  });

  itInBox('a user has a name, and git an author', async () => {
    const line =
      'node -p "os.userInfo().username"; git init -q; git commit -q --allow-empty -m x; git log --format="%an"';
    expect((await run(line)).output).toBe('agent\nAgent\n');
  });

  itInBox("localhost is the box's own", async () => {
    const line = `node -e 'require("http").createServer((_, r) => r.end("box")).listen(3002, "127.0.0.1", () => console.log("up"))' | (read -r _; curl -s http://127.0.0.1:3002/ http://localhost:3002/; kill %1 2>/dev/null; pkill node)`;
    const result = await run(line, { timeoutMs: 10_000 });
    expect(result.output).toBe('boxbox');
  });

  itInBox('names that are no text are hidden as well', async () => {
    await bench.folder('d');
    const name = Buffer.concat([Buffer.from(bench.in('d/.env.')), Buffer.from([0xff])]);
    writeFileSync(name, 'SECRET');
    expect((await run('cat d/.env.*; cat d/.env*; echo done')).output).toBe('done\n');
    expect(lstatSync(name).size).toBe(6);
  });
});
