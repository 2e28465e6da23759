/** A proxy before a server, so that a test can take the network away and give it back. */
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

export class TcpProxy {
  readonly #target: URL;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #held = false;
  #server: Server | null = null;
  #port = 0;

  constructor(targetUrl: string) {
    this.#target = new URL(targetUrl);
  }

  /** The target's URL with the proxy's port in it. Valid after the first `open`. */
  get url(): string {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  /** Takes connections, always on the same port. */
  async open(): Promise<this> {
    const server = createServer((client) => this.#join(client));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  /** Breaks all connections and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const socket of [...this.#pairs].flat()) socket.destroy();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  /** Passes nothing on over the present connections, forever, without closing them; new ones work. */
  silence(): void {
    for (const pair of this.#pairs) hold(pair);
  }

  /** Passes nothing on, over old and new connections, until `release`: a server that hangs. */
  hold(): void {
    this.#held = true;
    this.silence();
  }

  release(): void {
    this.#held = false;
    for (const pair of this.#pairs) pass(pair);
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    if (!this.#held) pass(pair);
    for (const socket of pair) {
      const end = (): void => {
        this.#pairs.delete(pair);
        client.destroy();
        server.destroy();
      };
      socket.on('error', end);
      socket.on('close', end);
    }
  }
}

function pass([client, server]: readonly [Socket, Socket]): void {
  client.pipe(server).pipe(client);
}

function hold(pair: readonly [Socket, Socket]): void {
  for (const socket of pair) {
    socket.unpipe();
    socket.pause();
  }
}
