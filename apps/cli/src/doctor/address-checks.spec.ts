import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../endpoint.js';
import { addressChecks } from './address-checks.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}
const endpoint = (url: string): Endpoint => ({ url, from: 'up.json', apiKey: null, keyFrom: null });
const HOST = '127.0.0.1';
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .some(({ internal, family }) => !internal && family === 'IPv4');

describe('the port', () => {
  it('is that of what runs, whatever PORT says and whoever has that one', async () => {
    const [taken, used] = [await listen(HOST), await listen(HOST)];
    const checks = await addressChecks({ HOST, PORT: taken }, endpoint(`http://${HOST}:${used}`));
    expect(checks).toEqual([
      { name: 'Address', status: 'ok', proof: `port ${used} answers to this machine only` },
      { name: 'Port', status: 'ok', proof: `${HOST}:${used} belongs to this Bullpen (from up.json)` },
    ]);
  });

  it('is that of the settings when nothing runs, or what ran is gone', async () => {
    const taken = await listen(HOST);
    for (const known of [null, endpoint(`http://${HOST}:1`)])
      expect((await addressChecks({ HOST, PORT: taken }, known))[1]).toMatchObject({
        status: 'fail',
        proof: `${HOST}:${taken} is taken by another program`,
      });
    expect((await addressChecks({ HOST: '192.0.2.1', PORT: 7450 }, null))[1]).toMatchObject({
      status: 'fail',
      proof: '192.0.2.1:7450: this machine has no such address (EADDRNOTAVAIL)',
      fix: 'correct HOST',
    });
  });

  it('is none of ours when the gateway is elsewhere', async () => {
    const checks = await addressChecks({ HOST, PORT: 1 }, endpoint('https://bullpen.example'));
    expect(checks).toEqual([expect.objectContaining({ status: 'info' })]);
  });
});

(outside ? describe : describe.skip)('the address', () => {
  it('is open to other machines when the port answers there, whatever HOST says here', async () => {
    const port = await listen('0.0.0.0');
    const [address] = await addressChecks({ HOST, PORT: 7450 }, endpoint(`http://${HOST}:${port}`));
    expect(address).toMatchObject({
      name: 'Address',
      status: 'warn',
      proof: expect.stringContaining('other machines'),
    });
  });
});
