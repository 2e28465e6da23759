import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertNoProcessLeft, startProcess } from './processes.js';

const STUBBORN = `
  process.on('SIGTERM', () => console.log('not yet'));
  console.log('listening on port ' + process.env.MY_PORT);
  console.error('to stderr');
  setInterval(() => undefined, 1_000);
`;

describe('startProcess', () => {
  let folder: string;
  const entry = async (name: string, code: string): Promise<string> => {
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, code);
    return file;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bullpen-processes-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('collects output, and kills what does not want to end', async () => {
    const child = startProcess(await entry('stubborn', STUBBORN), { env: { MY_PORT: '7' } });
    const match = await child.waitForOutput(/port (\d+)/);
    expect(match[1]).toBe('7');
    await child.waitForOutput('to stderr');
    expect(child.stdout).not.toContain('to stderr');
    expect(await child.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await assertNoProcessLeft();
  });

  it('shows the output of a process that ended before it said what was expected', async () => {
    const child = startProcess(await entry('short', "console.log('something else'); process.exit(3);"), {
      name: 'the child',
    });
    await expect(child.waitForOutput('ready')).rejects.toThrow(
      /the child ended without .*ready.*\n[^]*something else/,
    );
    expect(await child.ended).toEqual({ code: 3, signal: null });
  });

  it('finds and kills what a spec forgot', async () => {
    const child = startProcess(await entry('forgotten', STUBBORN), { name: 'forgotten' });
    await expect(assertNoProcessLeft()).rejects.toThrow(`forgotten (process ${child.pid})`);
    expect(await child.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });
});
