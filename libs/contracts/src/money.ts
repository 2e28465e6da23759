/** Exact money: integer nano-dollars inside, decimal strings outside. Floating point never touches a price. */

const NANO_PER_USD = 1_000_000_000n;

/**
 * Nano-dollars of a decimal string such as `"2.50"`.
 * @throws RangeError when the text is not a plain non-negative decimal with at most nine decimals.
 */
export function nanoUsdOf(usd: string): bigint {
  const match = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(usd);
  if (!match) throw new RangeError(`Not an amount in US dollars: ${usd}`);
  return BigInt(match[1] ?? '0') * NANO_PER_USD + BigInt((match[2] ?? '').padEnd(9, '0'));
}

/** The exact decimal string of an amount in nano-dollars; no trailing zeros, at least two decimals (`"0.00"`, `"0.0123"`). */
export function usdOf(nanoUsd: bigint): string {
  const sign = nanoUsd < 0n ? '-' : '';
  const abs = nanoUsd < 0n ? -nanoUsd : nanoUsd;
  const decimals = (abs % NANO_PER_USD)
    .toString()
    .padStart(9, '0')
    .replace(/0{1,7}$/, '');
  return `${sign}${abs / NANO_PER_USD}.${decimals}`;
}
