/**
 * Refuses requests that name another host. A web page that points its own name at 127.0.0.1 (DNS rebinding) is the same origin
 * for the browser; the Host header still carries that name.
 */
import { AppError } from '@bullpen/contracts';
import type { FastifyInstance } from 'fastify';
import type { GatewaySettings } from './tokens.js';

/** Probes of supervisors come with whatever address they know, and see nothing but "alive" and "ready". */
const EXEMPT = new Set(['/healthz', '/readyz']);

/** Names of this gateway. Asked for each request, because the port is known only when it listens. */
export class AllowedHosts {
  readonly #settings: Pick<GatewaySettings, 'HOST' | 'ALLOWED_HOSTS' | 'PUBLIC_URL'>;
  readonly #port: () => number | null;

  constructor(
    settings: Pick<GatewaySettings, 'HOST' | 'ALLOWED_HOSTS' | 'PUBLIC_URL'>,
    port: () => number | null,
  ) {
    this.#settings = settings;
    this.#port = port;
  }

  /** True when a Host header (`name`, `name:port`) is one of ours. */
  hasHost(header: string | undefined): boolean {
    if (header === undefined) return false;
    const host = header.toLowerCase();
    const { ALLOWED_HOSTS = [], PUBLIC_URL } = this.#settings;
    if (this.#own().includes(host)) return true;
    if (PUBLIC_URL !== undefined && host === new URL(PUBLIC_URL).host) return true;
    // A listed name without a port stands for any port: what a proxy forwards is its business.
    return ALLOWED_HOSTS.map((name) => name.toLowerCase()).some(
      (name) => host === name || host.replace(/:\d+$/, '') === name,
    );
  }

  /** The gateway as whoever sends this Host header calls it. Behind a proxy only PUBLIC_URL knows about TLS. */
  urlFor(header: string): string {
    const { PUBLIC_URL } = this.#settings;
    if (PUBLIC_URL !== undefined && header.toLowerCase() === new URL(PUBLIC_URL).host)
      return new URL(PUBLIC_URL).origin;
    return `http://${header}`;
  }

  /** True when an Origin header is one of ours. */
  hasOrigin(origin: string): boolean {
    if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
    return new URL(origin).origin === origin && this.hasHost(new URL(origin).host);
  }

  #own(): string[] {
    const port = this.#port();
    const { HOST } = this.#settings;
    const names = ['127.0.0.1', 'localhost', '[::1]'];
    if (!['0.0.0.0', '::', ''].includes(HOST))
      names.push(HOST.includes(':') ? `[${HOST}]` : HOST.toLowerCase());
    return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port ?? ''}`]));
  }
}

/** Answers 403 to requests that name another host. */
export function checkHosts(fastify: FastifyInstance, hosts: AllowedHosts): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (EXEMPT.has(request.url) || hosts.hasHost(request.headers.host)) return done();
    const named = JSON.stringify((request.headers.host ?? '').slice(0, 100));
    done(
      new AppError(
        'forbidden',
        `The request names the host ${named}, which is not one of this gateway's. Use the address that the gateway listens on.`,
        {
          nextActions: [{ action: 'setting.change', setting: 'ALLOWED_HOSTS' }],
        },
      ),
    );
  });
}
