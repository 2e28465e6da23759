/** A tunnel to an opened host. It carries TLS only, and only to the host that it was opened for. */
import type { Socket } from 'node:net';
import { serverNameOf } from './client-hello.js';
import { endWhenIdle, PROXY_LIMITS } from './connection.js';

/** A fatal alert "unrecognized name" (RFC 8446 6): what clients know how to report. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

/**
 * Joins a client that was told of its tunnel with the host. Resolves with null when both are joined, else with the reason why not;
 * then both are closed. `head`: what the client has sent already.
 */
export async function joinTunnel(
  client: Socket,
  head: Buffer,
  upstream: Socket,
  host: string,
): Promise<string | null> {
  const hello = await readHello(client, head);
  const fault =
    'fault' in hello
      ? hello.fault
      : hello.name.toLowerCase() === host
        ? null
        : `the TLS handshake in the tunnel to ${host} names ${JSON.stringify(hello.name)}`;
  if (fault !== null || 'fault' in hello) {
    client.end(UNRECOGNIZED_NAME, () => client.destroy());
    upstream.destroy();
    return fault;
  }
  upstream.write(hello.bytes);
  client.pipe(upstream).pipe(client);
  return null;
}

/** Each side ends with the other. */
export function tie(client: Socket, upstream: Socket): void {
  endWhenIdle(client);
  if (client.destroyed) upstream.destroy();
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => client.destroySoon());
}

type Hello = { readonly bytes: Buffer; readonly name: string } | { readonly fault: string };

/** The first bytes up to the name. */
function readHello(client: Socket, head: Buffer): Promise<Hello> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const done = (hello: Hello): void => {
      clearTimeout(limit);
      client.off('data', look).off('end', gone).off('close', gone).pause();
      resolve(hello);
    };
    const look = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const found = serverNameOf(bytes);
      if ('fault' in found) done(found);
      else if (found.name !== null) done({ bytes, name: found.name });
    };
    const gone = (): void => done({ fault: 'the tunnel was closed before a TLS handshake' });
    const limit = setTimeout(() => done({ fault: 'no TLS handshake came' }), PROXY_LIMITS.helloMs);
    client.once('end', gone).once('close', gone).on('data', look);
    if (client.destroyed) gone();
    else if (head.length > 0) look(head);
  });
}
