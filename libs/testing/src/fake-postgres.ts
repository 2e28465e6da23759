/** A server that says one thing to everybody who connects, in one piece: what a real one says at unlucky moments. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** What a server says while it recovers from a crash. */
export const STARTING_UP = errorResponse('57P03', 'the database system is not yet accepting connections');

/** A connection that is made and ended by an administrator before the client has done anything with it. */
export const ENDED_AT_ONCE = Buffer.concat([
  message('R', [0, 0, 0, 0]), // Who you are is not asked.
  message('Z', [...Buffer.from('I')]), // Ready for a query.
  errorResponse('57P01', 'terminating connection due to administrator command'),
]);

export interface FakePostgres {
  readonly url: string;
  /** Connections that were given the answer. */
  readonly answered: number;
  close(): Promise<void>;
}

/** Starts a server that answers each connection's first words with these bytes and closes it. */
export async function fakePostgres(answer: Buffer): Promise<FakePostgres> {
  let answered = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
    socket.once('data', () => {
      answered += 1;
      socket.end(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://nobody:x@127.0.0.1:${(server.address() as AddressInfo).port}/none`,
    get answered() {
      return answered;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function errorResponse(code: string, text: string): Buffer {
  return message('E', [...Buffer.from(`SFATAL\0C${code}\0M${text}\0\0`)]);
}

function message(kind: string, body: readonly number[]): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, Buffer.from(body)]);
}
