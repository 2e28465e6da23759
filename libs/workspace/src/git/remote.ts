/** The way to a repository elsewhere: with which credential, by which addresses, and what its refusals mean. */
import { createHash } from 'node:crypto';
import { AppError } from '@bullpen/contracts';
import { resolveHost, routeTo, type GitCredential, type Lookup, type ProxySettings } from '@bullpen/platform';
import type { GitFailed, GitRun } from './run-git.js';

/** How repositories elsewhere are reached. */
export interface RemoteOptions {
  readonly credentials: readonly GitCredential[];
  /** Non-public networks that may be reached. */
  readonly allowPrivate: readonly string[];
  readonly proxy: ProxySettings;
  readonly lookup?: Lookup;
}

/** A repository elsewhere, and the way to it. */
export interface Remote {
  /** As it was looked at: what git reads in it is what we have read. */
  readonly url: string;
  /** The same for all who are shown the same by it. */
  readonly access: string;
  /** How git reaches it. */
  readonly run: Pick<GitRun, 'config' | 'env' | 'transports'>;
}

/** Null: it could not be told where the host is; that may pass. Throws `invalid_workspace` for addresses that are not public. */
export async function remoteOf(
  given: string,
  tenantId: string,
  options: RemoteOptions,
): Promise<Remote | null> {
  const { href: url, protocol, host, origin } = new URL(given);
  const transports = protocol.slice(0, -1);
  if (transports === 'file') return { url, access: 'open', run: { transports } };
  const header = credentialFor(host, tenantId, options.credentials)?.header;
  const way = await wayTo(url, options);
  if (way === null) return null;
  const config = {
    // A redirect would take the credential, or the whole request, to a place that nobody has looked at.
    'http.followRedirects': 'false',
    'http.lowSpeedLimit': '1000',
    'http.lowSpeedTime': '60',
    ...(header !== undefined && { [`http.${origin}/.extraHeader`]: header }),
    ...way.config,
  };
  return { url, access: accessOf(header), run: { transports, config, env: way.env } };
}

/** The first that the tenant may use. */
function credentialFor(
  host: string,
  tenantId: string,
  credentials: readonly GitCredential[],
): GitCredential | undefined {
  return credentials.find(
    (each) => each.host === host && (each.tenants === null || each.tenants.includes(tenantId)),
  );
}

function accessOf(header: string | undefined): string {
  return header === undefined ? 'open' : createHash('sha256').update(header).digest('hex').slice(0, 32);
}

type Way = Pick<GitRun, 'config' | 'env'>;

/** By a proxy, which then looks for the host; or directly, to addresses that were looked at. */
async function wayTo(url: string, { proxy, allowPrivate, lookup }: RemoteOptions): Promise<Way | null> {
  const route = routeTo(url, proxy);
  if (route.kind === 'proxy')
    return { env: { [route.proxy.from.toLowerCase()]: proxy[route.proxy.from] ?? '' } };
  const { hostname, port, protocol } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const found = await resolveHost(name, { allowed: allowPrivate, ...(lookup && { lookup }) });
  if (found.kind === 'unknown') return null;
  if (found.kind === 'refused')
    throw new AppError(
      'invalid_workspace',
      `${hostname} can't be cloned from: ${found.reason}. If it is meant to be, its network belongs in the setting GIT_ALLOW_PRIVATE.`,
    );
  const addresses = found.addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
  const at = port || (protocol === 'https:' ? '443' : '80');
  return {
    config: { 'http.curloptResolve': `${name}:${at}:${addresses.join(',')}` },
    env: { no_proxy: '*' },
  };
}

/** It may work a moment later. */
export function mayPass({ message }: GitFailed): boolean {
  return /Could not resolve host|Failed to connect|timed out|timeout|reset by peer|early EOF|hung up|RPC failed|error: 5\d\d|error: 429|too slow/i.test(
    message,
  );
}

/** Two runs of git have met in one repository of ours. */
export function isContention({ message }: GitFailed): boolean {
  return /cannot lock ref|Unable to create .*\.lock|could not lock/i.test(message);
}

/** What a failed fetch means to the person who gave the address. */
export function accessProblem(url: string, failure: GitFailed): AppError {
  const { message } = failure;
  const cause = { cause: failure };
  if (/couldn't find remote ref/i.test(message))
    return new AppError('invalid_workspace', `${url} has no such ref: ${reasonIn(message)}`, cause);
  if (
    /Authentication failed|could not read (Username|Password)|error: 40[134]|not found|does not appear to be a git repository|denied|forbidden/i.test(
      message,
    )
  )
    return new AppError(
      'invalid_workspace',
      `${url} is not there, or this installation may not read it: ${reasonIn(message)}. Check the address, and the entry for its host in GIT_CREDENTIALS.`,
      cause,
    );
  if (/redirect|error: 30\d/i.test(message))
    return new AppError('invalid_workspace', `${url} leads to another address; give that one: ${reasonIn(message)}`, cause); // prettier-ignore
  return new AppError('workspace_failed', `${url} can't be fetched: ${reasonIn(message)}`, cause);
}

/** The first line that says what is wrong; what follows it is advice for people at a terminal. */
function reasonIn(said: string): string {
  const lines = said.trim().split('\n');
  const reason = lines.find((line) => /^(fatal|error): /.test(line)) ?? lines.at(-1) ?? '';
  return reason.replace(/^(fatal|error): /, '');
}
