/**
 * Which addresses may be reached for somebody else: by a webhook, or from a sandbox. Whoever can name a host could otherwise make this
 * machine call what only it can reach: itself, its neighbours, the metadata service of its cloud.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks that are allowed although they are not public. */
export type AllowedNetworks = readonly string[];

/** 2000::/3 holds all IPv6 addresses that are routed on the internet; `::/96` (IPv4-compatible) and the like are outside. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure's metadata and name service: the one such address that looks public. */
const METADATA = ['168.63.129.16'];

/**
 * True when this address may be reached: it is public, or in one of the networks. An IPv4 address in the clothes of IPv6
 * (mapped, or behind NAT64) is judged as what it is. False for what is no address.
 */
export function mayReach(text: string, allowed: AllowedNetworks): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = unwrapped(ipaddr.parse(text));
  return isPublic(address) || allowed.some((network) => contains(network, address));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || METADATA.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

function unwrapped(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  // NAT64 (RFC 6052): how a machine without IPv4 reaches a public IPv4 address.
  const nat64 = address.match(ipaddr.IPv6.parseCIDR('64:ff9b::/96'));
  return nat64 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function contains(network: string, address: Address): boolean {
  const [base, bits] = ipaddr.parseCIDR(network);
  if (base instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(base, bits);
  return address instanceof ipaddr.IPv6 && address.match(base, bits);
}
