/** Whether the policy opens a host to commands in a sandbox. Pure. */
import { hostAndPort, type HostRules } from '@bullpen/contracts';

const USUAL_PORTS = [443, 80];

/** `host` in lower case, without a dot at its end. Closed unless an entry opens it; a denial always wins. */
export function isOpenHost(rules: HostRules, host: string, port: number): boolean {
  return (
    rules.allow.some((entry) => matches(entry, host, port, USUAL_PORTS)) && !isDeniedHost(rules, host, port)
  );
}

/** Whether the policy keeps a host closed for everybody. */
export function isDeniedHost({ deny }: HostRules, host: string, port: number): boolean {
  return deny.some((entry) => matches(entry, host, port, [port]));
}

/** Whether a command is given any way out at all. */
export function opensHosts({ allow, deny }: HostRules): boolean {
  return allow.length > 0 && !deny.includes('*');
}

/** `ports`: those that an entry without a port is about. */
function matches(entry: string, host: string, port: number, ports: readonly number[]): boolean {
  const { name, port: own } = hostAndPort(entry);
  if (!(own === null ? ports : [Number(own)]).includes(port)) return false;
  // `*.example.com` means the names below it; a star alone, which only a denial can be, means all.
  return name.startsWith('*') ? host.endsWith(name.slice(1)) : host === name;
}
