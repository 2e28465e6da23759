/** Runs the built command (`npm test` builds first), as the product starts it. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseCliOptions } from './cli-options.js';

const BIN = fileURLToPath(new URL('../bin/model-sim.js', import.meta.url));

let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill('SIGKILL');
});

async function startChild(): Promise<{ process: ChildProcess; port: number }> {
  child = fork(BIN, ['--port', '0'], { silent: true, execArgv: [] });
  const [message] = (await once(child, 'message')) as [{ type: string; port: number }];
  expect(message.type).toBe('listening');
  return { process: child, port: message.port };
}

describe('the command', () => {
  it('tells its parent the port, labels itself, and stops on SIGTERM', async () => {
    child = fork(BIN, ['--port', '0'], { silent: true, execArgv: [] });
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    expect(line.toString()).toMatch(
      /^model-sim listening on http:\/\/127\.0\.0\.1:\d+ \(simulated model, not Claude\)\n$/,
    );
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('stops when its parent is gone', async () => {
    const { process: sim, port } = await startChild();
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    sim.disconnect();
    expect(await once(sim, 'exit')).toEqual([0, null]);
  });
});

describe('parseCliOptions', () => {
  it('has defaults and takes several scenarios', () => {
    expect(parseCliOptions([])).toEqual({
      port: 8787,
      host: '127.0.0.1',
      scenarioFiles: [],
      speed: 1,
      logFile: undefined,
      isHelp: false,
    });
    const options = parseCliOptions([
      '--scenario',
      'a.json',
      '--scenario',
      'b.mjs',
      '--speed',
      'max',
      '--log',
      'l',
    ]);
    expect(options).toMatchObject({ scenarioFiles: ['a.json', 'b.mjs'], speed: 'max', logFile: 'l' });
    expect(parseCliOptions(['--speed', '0']).speed).toBe('max');
  });

  it.each([
    [['--port', '99999'], '--port 99999'],
    [['--speed', 'fast'], '--speed fast'],
    [['--speed', '-1'], "'--speed"],
    [['--sped', '1'], '--sped'],
  ])('names the option that is wrong in %j', (args, expected) => {
    expect(() => parseCliOptions(args)).toThrow(expected);
  });
});
