import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forwarder } from './forwarder.js';
import { hostGate, type OpenedHosts } from './host-gate.js';

const run = promisify(execFile);
const place = { program: '/tmp/box/node', socket: '/tmp/box/proxy', port: 3_128 };

let host: Server;
let port: number;
let opened: OpenedHosts;

beforeEach(async () => {
  host = createServer((_, response) => response.end('the host'));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  port = (host.address() as AddressInfo).port;
  const lookup = async () => [{ address: '127.0.0.1', family: 4 as const }];
  const gate = hostGate({ addresses: { allowed: ['127.0.0.1/32'], lookup }, report: () => undefined });
  opened = await gate.open({ allow: [`open.test:${port}`], deny: [] }, null);
});

afterEach(() => {
  opened.close();
  host.close();
});

/** In namespaces of its own, with everything of the machine there. */
async function inBox(command: string): Promise<string> {
  const { program, script } = forwarder(place);
  const url = `http://127.0.0.1:${place.port}`;
  const { stdout } = await run(
    'bwrap',
    [
      ...['--unshare-user', '--unshare-pid', '--unshare-net', '--die-with-parent', '--ro-bind', '/', '/'],
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--ro-bind', ...program],
      ...['--ro-bind', opened.socketPath, place.socket],
      ...['--setenv', 'http_proxy', url, '--setenv', 'no_proxy', '127.0.0.1,localhost'],
      ...['bash', '-c', `${script}; exec bash -c "$1"`, 'bash', command],
    ],
    { timeout: 20_000 },
  );
  return stdout;
}

describe('the forwarder', () => {
  it('is ready when the command starts, and leads to opened hosts only', async () => {
    expect(await inBox(`curl -s http://open.test:${port}/`)).toBe('the host');
    expect(await inBox(`curl -s http://other.test:${port}/`)).toMatch(
      /^Bullpen: other.test:\d+ is not opened/,
    );
    expect(await inBox('curl -sv -x $http_proxy https://other.test/ 2>&1; echo $?')).toMatch(
      /403 Bullpen: other.test:443 is not opened[^]*\n56\n$/,
    );
  });

  it('is no child of the command, which ends without waiting for it', async () => {
    expect(await inBox('jobs; pgrep -P $$; wait; echo done')).toBe('done\n');
  });

  it('leaves localhost to the box: its own servers answer, those of the host do not', async () => {
    const serve = `require('http').createServer((_, r) => r.end('the box')).listen(${port + 1}, () => console.log(1))`;
    const command = `read -r _ < <((node -e "${serve}" &)); curl -s http://localhost:${port + 1}/; curl -s http://127.0.0.1:${port}/ || echo " $?"`;
    expect(await inBox(command)).toBe('the box 7\n');
  });

  it('says so when it cannot run', async () => {
    opened.close();
    const { program, script } = forwarder({ ...place, program: '/nowhere' });
    expect(program[1]).toBe('/nowhere');
    await expect(run('bash', ['-c', script])).rejects.toMatchObject({
      code: 126,
      stdout: expect.stringContaining('could not be made'),
    });
  });
});
