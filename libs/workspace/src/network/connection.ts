/** Connections from the proxy to opened hosts, and the limits of all connections. */
import { connect, type Socket } from 'node:net';
import { pinned } from '@bullpen/platform';
import type { OpenWay } from './judge-target.js';

export const PROXY_LIMITS = {
  /** From inside of one box, at the same time. */
  connections: 256,
  headerBytes: 16_384,
  headersMs: 10_000,
  connectMs: 15_000,
  /** For the first bytes in a tunnel. */
  helloMs: 10_000,
  /** Without a byte in either direction. */
  idleMs: 300_000,
};

/** Connects to one of the judged addresses, the first that answers. Rejects when none does. */
export function connectTo({ host, port, addresses }: OpenWay): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: pinned(addresses), autoSelectFamily: true });
    socket.setTimeout(PROXY_LIMITS.connectMs, () => socket.destroy(new Error('it does not answer')));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      endWhenIdle(socket);
      resolve(socket);
    });
  });
}

/** Ends a connection on which nothing happens any more. What breaks ends it, too, and is nothing to throw about. */
export function endWhenIdle(socket: Socket): void {
  socket.removeAllListeners('timeout');
  socket.setTimeout(PROXY_LIMITS.idleMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
}
