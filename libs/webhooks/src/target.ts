/** From a URL to the addresses that a message may be sent to. */
import { resolveHost, type AddressRules, type HostAddresses } from '@bullpen/platform';

export type TargetRules = AddressRules;
export type Target = HostAddresses;

/** Like `resolveHost`, for the host of a URL in any of its spellings. */
export async function resolveTarget(url: string, rules: TargetRules): Promise<Target> {
  if (!URL.canParse(url)) return { kind: 'refused', reason: 'it is not a URL' };
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    return { kind: 'refused', reason: 'only http and https are allowed' };
  // The URL has brought all spellings of an address into one form; IPv6 stands in brackets.
  const target = await resolveHost(hostname.replace(/^\[(.*)\]$/, '$1'), rules);
  return target.kind === 'refused'
    ? { ...target, reason: `${target.reason} (WEBHOOK_ALLOW_PRIVATE)` }
    : target;
}
