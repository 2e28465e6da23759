/** Where the gateway listens, or would: on which port, and for whom. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { systemProblem } from '@bullpen/contracts';
import { isPortFree, type UpSettings } from '@bullpen/platform';
import type { Endpoint } from '../endpoint.js';
import { reasonOf } from '../errors.js';
import type { Check } from './check.js';

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]'];
const CONNECT_MS = 500;
const CLOSER = 'put a proxy with TLS in front of it, or use HOST=127.0.0.1';

type Listening = Pick<UpSettings, 'HOST' | 'PORT'>;

/** Of what really runs, when something does; else of what the settings would give. */
export async function addressChecks(settings: Listening, endpoint: Endpoint | null): Promise<Check[]> {
  if (endpoint === null) return settingsChecks(settings);
  const url = new URL(endpoint.url);
  if (![...LOOPBACK, settings.HOST].includes(url.hostname))
    return [{ name: 'Port', status: 'info', proof: `none is needed here: the gateway is at ${url.origin}` }];
  // Whether that is a gateway at all, another check finds out.
  if (!(await accepts(url.hostname.replace(/[[\]]/g, ''), portOf(url)))) return settingsChecks(settings);
  return [
    await checkReach(portOf(url)),
    { name: 'Port', status: 'ok', proof: `${url.host} belongs to this Bullpen (from ${endpoint.from})` },
  ];
}

/** Other machines come by the other addresses of this one: whether something answers there, it is asked. */
async function checkReach(port: number): Promise<Check> {
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  const open = await Promise.all(others.map((address) => accepts(address, port)));
  const reached = others.filter((_address, index) => open[index]);
  const name = 'Address';
  if (reached.length === 0) return { name, status: 'ok', proof: `port ${port} answers to this machine only` };
  const proof = `port ${port} answers at ${reached.join(', ')} as well: other machines can connect`;
  return { name, status: 'warn', proof, fix: CLOSER };
}

async function settingsChecks({ HOST, PORT }: Listening): Promise<Check[]> {
  const address: Check = LOOPBACK.includes(HOST)
    ? { name: 'Address', status: 'ok', proof: `HOST is ${HOST}: only this machine can connect` }
    : { name: 'Address', status: 'warn', proof: `HOST is ${HOST}: other machines can connect`, fix: CLOSER };
  return [address, await checkPort({ HOST, PORT })];
}

async function checkPort({ HOST, PORT }: Listening): Promise<Check> {
  const name = 'Port';
  if (PORT === 0) return { name, status: 'ok', proof: 'PORT is 0: a free one is used' };
  try {
    if (await isPortFree(HOST, PORT)) return { name, status: 'ok', proof: `${HOST}:${PORT} is free` };
  } catch (error) {
    const fix = systemProblem(error)?.advice ?? 'set HOST and PORT to what this machine can listen on';
    return { name, status: 'fail', proof: reasonOf(error), fix };
  }
  const fix = 'set PORT to another one (0 takes a free one)';
  return { name, status: 'fail', proof: `${HOST}:${PORT} is taken by another program`, fix };
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return true;
  } catch {
    // Refused, or silent: nobody there, which is the answer.
    return false;
  } finally {
    socket.destroy();
  }
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
