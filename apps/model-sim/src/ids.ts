import { randomBytes } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * A fresh id with the given prefix. Ids are the one thing that differs between two runs of the same request, as with the
 * real API: a client must not rely on seeing one twice.
 */
export function newId(prefix: string, length = 22): string {
  let id = prefix;
  for (const byte of randomBytes(length)) id += ALPHABET.charAt(byte % ALPHABET.length);
  return id;
}
