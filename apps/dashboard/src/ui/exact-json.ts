/** JSON that people type: a number that JavaScript cannot hold exactly would be sent as another one. */

/** The first number of a JSON text that would not come out as it went in; null when all do. Texts are left alone. */
export function inexactNumber(json: string): string | null {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
  return tokens.find((token) => !token.startsWith('"') && !isExact(token)) ?? null;
}

function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return /^-?\d+$/.test(token) ? BigInt(token) === BigInt(value) : true;
}
