/** Where the installation lets its tasks clone from. */
import { AppError } from '@bullpen/contracts';

/** The settings that an address is checked against. */
export interface GitRules {
  /** Hosts as an address has them, with a port that is not the usual one. */
  readonly hosts: 'any' | 'none' | readonly string[];
  /** `https`, `http`, `file`. */
  readonly protocols: readonly string[];
}

/** Throws `invalid_workspace` for an address that the settings do not allow. Without a look at the network. */
export function checkGitUrl(url: string, { hosts, protocols }: GitRules): void {
  const { protocol, host } = new URL(url);
  const name = protocol.slice(0, -1);
  if (!protocols.includes(name))
    throw refused(`This installation does not clone by ${name}; its setting GIT_PROTOCOLS allows ${protocols.join(', ')}`); // prettier-ignore
  if (hosts === 'none' || (hosts !== 'any' && name !== 'file' && !hosts.includes(host)))
    throw refused(
      hosts === 'none'
        ? 'This installation does not let tasks clone repositories (its setting GIT_HOSTS is none)'
        : `This installation does not clone from ${host}; its setting GIT_HOSTS allows ${hosts.join(', ')}`,
    );
}

function refused(message: string): AppError {
  return new AppError('invalid_workspace', message);
}
