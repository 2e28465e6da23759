/** Whether a pattern could expand to one of the names that need a person. The names themselves are the core's. */
import { isObeyedFile, isSecretFile, OBEYED_NAMES, pathNames } from '@bullpen/core';
import { isWild, mayMatch, wildcard } from './wildcards.js';

export { isObeyedFile as isObeyed, isSecretFile as isSecret };

/** Names that stand for the secret ones when a pattern is asked whether it could reach one. */
export const SECRET_SAMPLES: readonly string[] = [
  ...[
    '.env',
    '.env.local',
    '.npmrc',
    '.netrc',
    '.ssh',
    '.aws',
    '.git-credentials',
    '.pgpass',
    'id_rsa',
    'id_ed25519',
  ],
  ...['server.pem', 'server.key', 'credentials'],
];

/** Whether a pattern of the shell could stand for a secret: one that does not begin with a dot reaches no dot file. */
export function globMayNameSecret(pattern: string): boolean {
  return mayName(pattern, SECRET_SAMPLES, (name, part) => name.startsWith('.') === part.startsWith('.'));
}

/** Whether a pattern that a program reads itself could stand for a secret: to those a dot is a letter like others. */
export function patternMayNameSecret(pattern: string): boolean {
  return mayName(pattern, SECRET_SAMPLES, () => true);
}

/** Whether a pattern of the shell could stand for a name that other programs obey. */
export function globMayNameObeyed(pattern: string): boolean {
  return mayName(pattern, [...OBEYED_NAMES], (name, part) => name.startsWith('.') === part.startsWith('.'));
}

function mayName(
  pattern: string,
  names: readonly string[],
  applies: (name: string, part: string) => boolean,
): boolean {
  // Patterns as wide as `*` name nothing; what they reach is for whoever sees the files.
  const parts = pathNames(pattern).filter((part) => isWild(part) && !/^([*?]+|\*\.\*)$/.test(part));
  return parts.some((part) => names.some((name) => applies(name, part) && mayMatch(wildcard(part), name)));
}
