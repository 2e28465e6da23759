/** `npm run link`, as a person without root types it. Needs a build. */
import { execFile, type ExecFileException } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const REPOSITORY = join(import.meta.dirname, '../../../..');

let home: string;
let bin: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bullpen-link-'));
  bin = join(home, '.local/bin');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('npm run link', () => {
  it('puts bullpen into ~/.local/bin, which finds the Bullpen of this repository from any folder', async () => {
    const first = await link();
    expect([first.code, first.out]).toEqual([0, expect.stringContaining(`export PATH="${bin}:$PATH"`)]);
    expect(readlinkSync(join(bin, 'bullpen'))).toBe(join(REPOSITORY, 'apps/cli/bin/bullpen.js'));

    const contexts = await run('bullpen', ['context', 'list', '--json'], { PATH: withBin() });
    expect(JSON.parse(contexts.out)).toEqual({
      data: [{ name: 'local', current: true, home: join(REPOSITORY, '.bullpen'), key: 'in the home folder' }],
    });
    const again = await link({ PATH: withBin() });
    expect([again.code, again.out]).toEqual([0, expect.not.stringContaining('PATH')]);

    expect((await link({}, '--remove')).code).toBe(0);
    expect(() => readlinkSync(join(bin, 'bullpen'))).toThrow(/ENOENT/);
  });

  it('leaves alone what somebody else put there', async () => {
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'bullpen'), 'theirs');
    for (const flags of [[], ['--remove']])
      expect(await link({}, ...flags)).toMatchObject({ code: 1, err: expect.stringContaining('--to DIR') });
    expect(readFileSync(join(bin, 'bullpen'), 'utf8')).toBe('theirs');
  });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const withBin = (): string => `${bin}:${process.env['PATH']}`;

function link(env: Record<string, string> = {}, ...flags: string[]): Promise<Ran> {
  return run(process.execPath, [join(REPOSITORY, 'scripts/link.mjs'), ...flags], env);
}

function run(program: string, args: string[], env: Record<string, string>): Promise<Ran> {
  const options = { cwd: tmpdir(), env: { PATH: process.env['PATH'], HOME: home, ...env } };
  return new Promise((resolve) =>
    execFile(program, args, options, (error: ExecFileException | null, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    ),
  );
}
