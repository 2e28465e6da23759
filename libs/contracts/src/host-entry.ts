/** Entries for hosts: what commands in a sandbox may reach, by name. */
import { z } from 'zod';

/** Letters, digits and hyphens, as names of hosts have them; underscores are no part of one. */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** What a URL takes as an address: its last label is a number, in whatever base. */
const NUMBER = /^(\d+|0x[0-9a-f]*)$/;

/** What is wrong with the entry, as the end of a sentence; null when it can be used. */
export function faultOfHost(entry: string): string | null {
  const { name, port } = hostAndPort(entry);
  if (port !== null && !(/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535))
    return 'what follows the colon must be a port from 1 to 65535 (no scheme, no path, no IPv6 address)';
  const host = name.startsWith('*.') ? name.slice(2) : name;
  if (host.includes('*'))
    return 'a star stands only in front, for all names below one: *.example.com (add example.com for the name itself)';
  const labels = host.split('.');
  if (NUMBER.test(labels.at(-1) ?? '')) return 'addresses cannot be opened; give the name of the host';
  if (!labels.every((label) => LABEL.test(label)) || host.length > 253)
    return 'it must be the name of a host, like registry.npmjs.org or *.example.com, other letters as xn--…';
  return labels.length > 1 ? null : 'a name needs a dot: names without one mean machines of the own network';
}

/** `example.com:8443` in its parts; the port is whatever stands behind the first colon. */
export function hostAndPort(entry: string): { readonly name: string; readonly port: string | null } {
  const colon = entry.indexOf(':');
  return colon < 0
    ? { name: entry, port: null }
    : { name: entry.slice(0, colon), port: entry.slice(colon + 1) };
}

function hostEntries(isAlso: (entry: string) => boolean) {
  const entry = z
    .string()
    .trim()
    .toLowerCase()
    .max(261)
    .superRefine((text, context) => {
      const fault = isAlso(text) ? null : faultOfHost(text);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    });
  return z.array(entry).max(500).default([]);
}

/**
 * Hosts by name (`registry.npmjs.org`, `*.example.com`), with a port behind a colon where it is not 443 or 80. A denial closes every
 * port unless it names one, and always wins; `*` denies all.
 */
export const HostRules = z.strictObject({
  allow: hostEntries(() => false).describe(
    'Hosts that commands in a sandbox may reach: registry.npmjs.org, *.example.com, example.com:8443.',
  ),
  deny: hostEntries((entry) => entry === '*').describe(
    'Hosts that stay closed whatever allows them; * for all.',
  ),
});
export type HostRules = z.infer<typeof HostRules>;
