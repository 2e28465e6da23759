/** What a request to the proxy asks for, read so strictly that no other program can read another host out of it. */
import type { IncomingMessage } from 'node:http';
import { faultOfHost } from '@bullpen/contracts';

export interface ProxyTarget {
  /** In lower case, without a dot at its end. */
  readonly host: string;
  readonly port: number;
  /** Path and query of a plain request; empty for a tunnel. */
  readonly path: string;
}

export type ReadTarget = ProxyTarget | { readonly fault: string };

/** A name and a port; no user, no brackets, no percent signs, nothing that a URL parser would first have to tidy up. */
const AUTHORITY = /^([a-z0-9.-]+)(?::(\d{1,5}))?$/i;
const ABSOLUTE = /^http:\/\/([^/?#]*)([^#\s]*)$/i;

/** The target of `CONNECT name:port`. */
export function tunnelTarget(request: IncomingMessage): ReadTarget {
  const target = readAuthority(request.url ?? '', null);
  return 'fault' in target ? target : withSameHost(target, request, null);
}

/** The target of `GET http://name/path`. */
export function plainTarget(request: IncomingMessage): ReadTarget {
  const [, authority = '', rest = ''] = ABSOLUTE.exec(request.url ?? '') ?? [];
  if (authority === '') return { fault: 'this is a proxy: it takes CONNECT, and requests for http://… URLs' };
  const target = readAuthority(authority, 80);
  if ('fault' in target) return target;
  return withSameHost({ ...target, path: rest.startsWith('/') ? rest : `/${rest}` }, request, 80);
}

function readAuthority(text: string, usualPort: number | null): ReadTarget {
  const [, name, digits] = AUTHORITY.exec(text) ?? [];
  const port = digits === undefined ? usualPort : Number(digits);
  if (name === undefined || port === null || port < 1 || port > 65_535)
    return { fault: `${JSON.stringify(text)} is not a name with a port` };
  const host = name.toLowerCase().replace(/\.$/, '');
  const fault = faultOfHost(host);
  return fault === null ? { host, port, path: '' } : { fault: `${host}: ${fault}` };
}

/** A server behind the target's address may serve many hosts, and goes by the header: both must say the same. */
function withSameHost(target: ProxyTarget, request: IncomingMessage, usualPort: number | null): ReadTarget {
  const given = request.headersDistinct['host'] ?? [];
  if (given.length === 0) return target;
  const named = readAuthority(given[0] ?? '', usualPort ?? target.port);
  const isSame = !('fault' in named) && named.host === target.host && named.port === target.port;
  return isSame && given.length === 1
    ? target
    : { fault: `the Host header ${JSON.stringify(given.join(', '))} is not ${target.host}:${target.port}` };
}
