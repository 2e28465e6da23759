/**
 * Which way requests to a model leave this machine: through the proxy that the environment names, as other programs do it, or
 * directly. Pure; a proxy of this machine's own addresses is never asked, so the simulator works whatever is set.
 */
import { AppError } from '@bullpen/contracts/errors';
import { BlockList, isIP } from 'node:net';

/** The settings that name a proxy. */
export interface ProxySettings {
  readonly HTTPS_PROXY?: string | undefined;
  readonly HTTP_PROXY?: string | undefined;
  readonly NO_PROXY?: string | undefined;
}

export interface Proxy {
  /** Without credentials: may be shown. */
  readonly url: string;
  /** Value of `proxy-authorization`, from the credentials in the URL; null without any. */
  readonly authorization: string | null;
  /** The variable that names it. */
  readonly from: 'HTTPS_PROXY' | 'HTTP_PROXY';
}

export type Route =
  | { readonly kind: 'proxy'; readonly proxy: Proxy }
  | { readonly kind: 'direct'; readonly because: 'no proxy is set' | 'this machine' | 'NO_PROXY' };

/** Where the Messages API is, unless another endpoint is set. */
export function modelUrlOf({
  ANTHROPIC_BASE_URL,
}: {
  readonly ANTHROPIC_BASE_URL?: string | undefined;
}): string {
  return ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com';
}

/** The route to a URL (`http` or `https`). Throws `config_invalid`, naming the variable, for a proxy that is needed and cannot be used. */
export function routeTo(address: string, settings: ProxySettings): Route {
  const url = new URL(address);
  const from = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const given = settings[from];
  if (given === undefined) return { kind: 'direct', because: 'no proxy is set' };
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isThisMachine(host)) return { kind: 'direct', because: 'this machine' };
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isExempt(host, port, settings.NO_PROXY ?? '')) return { kind: 'direct', because: 'NO_PROXY' };
  return { kind: 'proxy', proxy: readProxy(from, given) };
}

const THIS_MACHINE = new BlockList();
THIS_MACHINE.addSubnet('127.0.0.0', 8, 'ipv4');
THIS_MACHINE.addAddress('0.0.0.0', 'ipv4');
THIS_MACHINE.addAddress('::1', 'ipv6');
THIS_MACHINE.addAddress('::', 'ipv6');

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || contains(THIS_MACHINE, host);
}

/** `*`, names (with all below them), addresses and networks, each with a port or without; separated by commas or spaces. */
function isExempt(host: string, port: string, noProxy: string): boolean {
  const entries = noProxy.toLowerCase().split(/[\s,]+/).filter((entry) => entry !== ''); // prettier-ignore
  return entries.some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, onlyPort] = isIP(entry) === 6 ? [] : (/^(.+?)(?::(\d+))?$/.exec(entry) ?? []);
    if (onlyPort !== undefined && onlyPort !== port) return false;
    return isIP(host) === 0 ? isBelow(host, name) : contains(networkOf(name), host);
  });
}

function isBelow(host: string, name: string): boolean {
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return host === domain || host.endsWith(`.${domain}`);
}

/** An address or a network like `10.0.0.0/8`; empty for anything else. */
function networkOf(text: string): BlockList {
  const list = new BlockList();
  const [address = '', bits] = text.replace(/^\[|\]$/g, '').split('/');
  const family = isIP(address);
  if (family === 0) return list;
  const all = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? all : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
  if (prefix <= all) list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return list;
}

function contains(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

function readProxy(from: Proxy['from'], given: string): Proxy {
  // Other programs take `proxy.example:8080`, too.
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '') throw unusable(from, 'is not the URL of a proxy');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw unusable(from, `names an unsupported kind of proxy (${url.protocol}//)`);
  return { url: `${url.protocol}//${url.host}`, authorization: authorizationOf(url, from), from };
}

function authorizationOf({ username, password }: URL, from: Proxy['from']): string | null {
  if (username === '' && password === '') return null;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    throw unusable(from, 'contains a user or password that is not percent-encoded (write % as %25)');
  }
}

/** Without the value: it may hold a password. */
function unusable(from: Proxy['from'], what: string): AppError {
  const lower = from.toLowerCase();
  return new AppError(
    'config_invalid',
    `${from} (or ${lower}) ${what}. Set it like http://proxy.example:8080 or http://user:password@proxy.example:8080, add the model's host to NO_PROXY, or remove it.`,
  );
}
