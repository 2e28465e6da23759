/** A network that misbehaves on request: a proxy before one server, with a weather that applies to old and new connections alike. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** `up` is from the client to the server. */
export type Direction = 'up' | 'down';

/** What the network does. Connections that lost bytes cannot be healed: the next change of weather resets them. */
export type Weather =
  | { readonly kind: 'pass' }
  /** Takes connections and reads nothing: a machine that hangs. One way only when a direction is given. */
  | { readonly kind: 'stall'; readonly only?: Direction }
  /** Reads everything and throws it away: a cable that was pulled. */
  | { readonly kind: 'drop'; readonly only?: Direction }
  /** Resets what is there and whatever comes. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number }
  /** Resets each connection after that many more bytes from the server. */
  | { readonly kind: 'cut_after'; readonly bytes: number }
  /** The server's side is closed and the client is not told. */
  | { readonly kind: 'half_open' };

/** One connection through the proxy. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  damaged: boolean;
  /** Bytes from the server since the weather changed. */
  received: number;
}

export class TcpProxy {
  readonly #target: URL;
  readonly #pairs = new Set<Pair>();
  #weather: Weather = { kind: 'pass' };
  #server: Server | null = null;

  /** `target` is a URL with a host and a port; the proxy gives the same URL with its own. */
  constructor(target: string) {
    this.#target = new URL(target);
  }

  /** Valid after `open`. */
  get url(): string {
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String((this.#server?.address() as AddressInfo | null)?.port ?? 0);
    // A base URL without a path is written without one, as it was given.
    return this.#target.pathname === '/' && this.#target.search === '' ? url.origin : url.href;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  async open(): Promise<this> {
    // Half-open is a weather here, and not what Node makes of a FIN by itself.
    const server = createServer((client) => this.#join(client));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return this;
  }

  /** Changes the weather, for connections that are open, too. */
  set(weather: Weather): void {
    this.#weather = weather;
    for (const pair of [...this.#pairs]) {
      pair.received = 0;
      if (pair.damaged || weather.kind === 'reset') reset(pair);
      else if (weather.kind === 'half_open') this.#forgetServer(pair);
      else for (const socket of [pair.client, pair.server]) socket.resume();
    }
  }

  /** Breaks all connections and takes no more. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const pair of [...this.#pairs]) reset(pair);
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  #join(client: Socket): void {
    if (this.#weather.kind === 'reset') {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const pair: Pair = { client, server, damaged: false, received: 0 };
    this.#pairs.add(pair);
    this.#pump(pair, 'up');
    this.#pump(pair, 'down');
    if (this.#weather.kind === 'half_open') this.#forgetServer(pair);
  }

  #pump(pair: Pair, direction: Direction): void {
    const [from, to] = direction === 'up' ? [pair.client, pair.server] : [pair.server, pair.client];
    from.on('data', (bytes: Buffer) => this.#carry(pair, direction, bytes));
    from.on('end', () => pair.damaged || to.end());
    from.on('error', () => undefined); // 'close' follows.
    from.on('close', () => {
      if (pair.damaged && direction === 'down') return; // The client's side stays, and knows nothing.
      this.#pairs.delete(pair);
      to.destroy();
    });
  }

  #carry(pair: Pair, direction: Direction, bytes: Buffer): void {
    const weather = this.#weather;
    const [from, to] = direction === 'up' ? [pair.client, pair.server] : [pair.server, pair.client];
    switch (weather.kind) {
      case 'stall':
        if (weather.only !== undefined && weather.only !== direction) return void send(from, to, bytes);
        from.pause();
        // These bytes were read already; they go back to the front and come again when the weather changes.
        from.unshift(bytes);
        return;
      case 'drop':
        if (weather.only !== undefined && weather.only !== direction) return void send(from, to, bytes);
        pair.damaged = true;
        return;
      case 'half_open':
        pair.damaged = true;
        return;
      case 'delay':
        // Timers of equal length fire in order, so the bytes stay in order.
        setTimeout(() => send(from, to, bytes), weather.ms);
        return;
      case 'throttle':
        from.pause();
        send(from, to, bytes);
        setTimeout(() => from.resume(), (bytes.length / weather.bytesPerSecond) * 1_000);
        return;
      case 'cut_after': {
        if (direction === 'up') return void send(from, to, bytes);
        const left = weather.bytes - pair.received;
        pair.received += bytes.length;
        if (left >= bytes.length) return void send(from, to, bytes);
        to.write(bytes.subarray(0, Math.max(0, left)), () => reset(pair));
        return;
      }
      case 'reset':
      case 'pass':
        send(from, to, bytes);
    }
  }

  #forgetServer(pair: Pair): void {
    pair.damaged = true;
    pair.server.destroy();
  }
}

function send(from: Socket, to: Socket, bytes: Buffer): void {
  if (to.destroyed || to.writableEnded || to.write(bytes)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

function reset({ client, server }: Pair): void {
  for (const socket of [client, server]) if (!socket.destroyed) socket.resetAndDestroy();
}
