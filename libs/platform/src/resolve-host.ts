/** From the name of a host to the addresses that may be connected to, all of them looked at. */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { mayReach, type AllowedNetworks } from './addresses.js';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host name. Throws when there are none. */
export type Lookup = (host: string) => Promise<readonly ResolvedAddress[]>;

export interface AddressRules {
  /** Networks, as CIDR, that are allowed although they are not public. */
  readonly allowed: AllowedNetworks;
  /** @defaultValue the resolver of the system */
  readonly lookup?: Lookup;
}

export type HostAddresses =
  | { readonly kind: 'open'; readonly addresses: readonly ResolvedAddress[] }
  /** Not allowed, whatever the weather. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The name could not be resolved now. */
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * The addresses behind a name, or the address itself. Refused when only one of them is not allowed: which one a connection takes is
 * not ours to say. What is connected to must be one of these addresses, never the name again, which may mean another one a moment later.
 */
export async function resolveHost(host: string, rules: AddressRules): Promise<HostAddresses> {
  const literal = isIP(host);
  if (literal !== 0) return judge([{ address: host, family: literal === 6 ? 6 : 4 }], rules);
  try {
    return judge(await (rules.lookup ?? lookupAll)(host), rules);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return { kind: 'unknown', reason: `the name ${host} could not be resolved (${code})` };
  }
}

/** A lookup for a connection that answers with the checked addresses instead of asking for the name again. */
export function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function judge(addresses: readonly ResolvedAddress[], { allowed }: AddressRules): HostAddresses {
  const refused = addresses.find(({ address }) => !mayReach(address, allowed));
  if (refused) return { kind: 'refused', reason: `${refused.address} is not a public address` };
  return addresses.length > 0
    ? { kind: 'open', addresses }
    : { kind: 'unknown', reason: 'the name has no addresses' };
}

const lookupAll: Lookup = async (host) => {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** What a failed connection says. Node wraps the tries of several addresses into one error without a message. */
export function connectionFault(error: unknown): string {
  const { code, message, errors } = error as { code?: string; message?: string; errors?: unknown[] };
  if (message !== undefined && message !== '') return message.slice(0, 300);
  return errors?.length ? connectionFault(errors[0]) : (code ?? 'the connection failed');
}
