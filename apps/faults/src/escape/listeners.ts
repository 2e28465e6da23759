/** Servers of the machine that no command may reach: they count whoever gets through to them. */
import { createSocket } from 'node:dgram';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Finding } from './finding.js';

/** What a server says to whoever connects: seen in an output, it got through. */
const GREETING = 'welcome-to-the-host';

export class Listeners {
  readonly #hits: string[] = [];
  readonly #closers: (() => void)[] = [];
  /** `host port` of each TCP server. */
  readonly tcp: (readonly [host: string, port: number])[] = [];
  readonly udp: (readonly [host: string, port: number])[] = [];
  /** Paths of unix sockets; an abstract one begins with an at sign. */
  readonly unix: string[] = [];

  /** On all addresses of the machine, and as sockets in `folder` under the names that programs look for. */
  static async open(folder: string, id: string): Promise<Listeners> {
    const listeners = new Listeners();
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const hosts = ['127.0.0.1', '::1', ...own.filter(({ internal }) => !internal).map((one) => one.address)];
    for (const host of hosts) {
      await listeners.#tcp(host);
      await listeners.#udp(host);
    }
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    for (const name of ['docker.sock', '.s.PGSQL.5432', 'redis.sock', 'agent.1', 'bus', 'S.gpg-agent'])
      await listeners.#unix(join(folder, name));
    await listeners.#unix(`@bullpen-escape-${id}`);
    return listeners;
  }

  /** Who got through since the last look. */
  hits(): readonly Finding[] {
    return this.#hits.splice(0).map((what) => ({ harm: 'network', what }));
  }

  close(): void {
    for (const close of this.#closers.splice(0)) close();
  }

  async #tcp(host: string): Promise<void> {
    const server = this.#greeter(`TCP ${host}`);
    if (!(await listens(server, () => server.listen(0, host)))) return;
    this.tcp.push([host, (server.address() as AddressInfo).port]);
  }

  async #unix(path: string): Promise<void> {
    const server = this.#greeter(`the socket ${path}`);
    if (!(await listens(server, () => server.listen(path.replace(/^@/, '\0'))))) return;
    if (!path.startsWith('@')) chmodSync(path, 0o777);
    this.unix.push(path);
  }

  async #udp(host: string): Promise<void> {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.on('message', () => this.#hits.push(`a datagram came to UDP ${host}`));
    const isBound = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false));
      socket.bind(0, host, () => resolve(true));
    });
    if (!isBound) return;
    this.#closers.push(() => socket.close());
    this.udp.push([host, socket.address().port]);
  }

  #greeter(name: string): Server {
    const server = createServer((socket) => {
      this.#hits.push(`somebody connected to ${name}`);
      socket.on('error', () => undefined); // Gone before it was greeted: it counts all the same.
      socket.end(GREETING);
    });
    this.#closers.push(() => server.close());
    return server;
  }
}

/** False where the machine has no such address. */
function listens(server: Server, listen: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('listening', () => resolve(true));
    server.once('error', () => resolve(false));
    listen();
  });
}
