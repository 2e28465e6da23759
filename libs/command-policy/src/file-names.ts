/** Whether a pattern could expand to one of the names that need a person. The names themselves are the core's. */
import { isObeyedFile, isSecretFile, OBEYED_NAMES, pathNames } from '@bullpen/core';

export { isObeyedFile as isObeyed, isSecretFile as isSecret };

/** Names that stand for the two lists when a glob is asked whether it could reach one. */
const SECRET_SAMPLES = ['.env', '.env.local', '.npmrc', '.netrc', '.ssh', '.aws', 'id_rsa', 'id_ed25519'];
const MORE_SECRET_SAMPLES = ['server.pem', 'server.key', 'credentials'];
const OBEYED_SAMPLES = [...OBEYED_NAMES];

/** Whether a glob could expand to a secret. Patterns as wide as `*` are let through: shells skip dot files there. */
export function globMayNameSecret(pattern: string): boolean {
  return pathNames(pattern).some(
    (part) => !/^[*?]+$/.test(part) && mayName(part, [...SECRET_SAMPLES, ...MORE_SECRET_SAMPLES]),
  );
}

/** Whether a glob could expand to a name that other programs obey. */
export function globMayNameObeyed(pattern: string): boolean {
  return pathNames(pattern).some((part) => mayName(part, OBEYED_SAMPLES));
}

function mayName(part: string, names: readonly string[]): boolean {
  if (!/[*?[]/.test(part)) return false;
  // The literal letters before the first and after the last pattern character decide; the middle may be anything.
  const first = part.search(/[*?[]/);
  const last = Math.max(part.lastIndexOf('*'), part.lastIndexOf('?'), part.lastIndexOf(']'));
  const head = part.slice(0, first);
  const tail = part.slice(Math.max(last, first) + 1);
  return names.some((name) => {
    if (name.startsWith('.') && !head.startsWith('.') && part[first] !== '[') return false;
    return name.startsWith(head) && name.endsWith(tail) && name.length >= head.length + tail.length;
  });
}
