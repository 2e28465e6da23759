/** A forward proxy: it knows one server, whatever host it is asked for, and notes what it was asked. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export class ForwardProxy {
  /** Hosts with ports, as asked for. */
  readonly asked: string[] = [];
  /** The newest `proxy-authorization`. */
  authorization: string | null = null;
  readonly #server = createServer((incoming, response) => this.#forward(incoming, response));

  private constructor(private readonly targetPort: number) {
    this.#server.on('connect', (incoming: IncomingMessage, socket: Duplex) => this.#tunnel(incoming, socket));
  }

  static async start(targetPort: number): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #note(host: string, incoming: IncomingMessage): void {
    this.asked.push(host);
    this.authorization = incoming.headers['proxy-authorization'] ?? null;
  }

  #tunnel(incoming: IncomingMessage, client: Duplex): void {
    this.#note(incoming.url ?? '', incoming);
    const server = connect(this.targetPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.pipe(client);
      client.pipe(server);
    });
    // Either end may go first, and takes the other with it.
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => client.destroy()).on('close', () => client.destroy());
  }

  /** A request in absolute form, as some clients send it for plain HTTP. */
  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const url = new URL(incoming.url ?? '/', 'http://nowhere.invalid');
    this.#note(url.host, incoming);
    const { method, headers } = incoming;
    const onward = request(
      { port: this.targetPort, host: '127.0.0.1', path: url.pathname, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', (error) => response.destroy(error));
    incoming.pipe(onward);
  }
}
