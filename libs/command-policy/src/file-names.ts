/** Whether a pattern could stand for a secret. The names themselves are the core's. */
import { isSecretFile, pathNames } from '@bullpen/core';
import { isWild, mayMatch, wildcard } from './wildcards.js';

export { isSecretFile as isSecret };

const SAMPLES =
  '.env .env.local .npmrc .netrc .ssh .aws .git-credentials .pgpass id_rsa id_ed25519 server.pem server.key credentials'.split(
    ' ',
  );

/** Whether a pattern could name a secret, were there one. Patterns as wide as `*` name nothing: what they reach is for whoever sees the files. */
export function patternMayNameSecret(pattern: string): boolean {
  const parts = pathNames(pattern).filter((part) => isWild(part) && !/^([*?]+|\*\.\*)$/.test(part));
  return parts.some((part) => SAMPLES.some((name) => mayMatch(wildcard(part), name)));
}
