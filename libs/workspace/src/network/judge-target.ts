/** Whether what is asked of the proxy may be reached: by the policy first, then by where the name leads. */
import { isOpenHost } from '@bullpen/core';
import type { HostRules } from '@bullpen/contracts';
import { resolveHost, type AddressRules, type ResolvedAddress } from '@bullpen/platform';
import type { ProxyTarget, ReadTarget } from './proxy-target.js';

export interface OpenWay extends ProxyTarget {
  /** What a connection may go to; the name is not looked up again. */
  readonly addresses: readonly ResolvedAddress[];
}

export interface Refusal {
  readonly status: 403 | 502;
  /** One line, for whoever reads the output of the command. */
  readonly reason: string;
}

/**
 * The address to connect to, or the status and the words with which the proxy refuses. Resolves the name, so that
 * what was judged is what is reached.
 */
export async function judgeTarget(
  target: ReadTarget,
  rules: HostRules,
  addresses: AddressRules,
): Promise<OpenWay | Refusal> {
  if ('fault' in target) return { status: 403, reason: target.fault };
  const { host, port } = target;
  if (!isOpenHost(rules, host, port)) return { status: 403, reason: howToOpen(host, port, rules) };
  const found = await resolveHost(host, addresses);
  if (found.kind === 'open') return { ...target, addresses: found.addresses };
  if (found.kind === 'unknown') return { status: 502, reason: found.reason };
  return {
    status: 403,
    reason: `${host} is closed: ${found.reason}; whoever runs the installation can allow its network: NETWORK_ALLOW_PRIVATE`,
  };
}

function howToOpen(host: string, port: number, { deny }: HostRules): string {
  const entry = port === 443 || port === 80 ? host : `${host}:${port}`;
  const closed = `${host}:${port} is not opened by the policy`;
  if (!isOpenHost({ allow: [entry], deny }, host, port)) return `${closed}, which denies it`;
  return `${closed}; a person can open it: bullpen policy allow ${entry} --kind host, or --allow-host ${entry} for one task`;
}
