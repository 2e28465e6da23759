/** Ids as people see them in lists. Pure. */

/** The end of an id is random: so many characters tell apart what one installation ever has. */
const SHORTEST = 8;

/** The last characters of each, as few as tell them apart, with which every command finds them. What is no such id stays whole. */
export function shortIds(ids: readonly string[]): string[] {
  const different = new Set(ids).size;
  for (let length = SHORTEST; ; length += 1) {
    const short = ids.map((id) => (isLong(id, length) ? id.slice(-length) : id));
    if (new Set(short).size === different) return short;
  }
}

function isLong(id: string, length: number): boolean {
  return /^[a-z]+_[0-9a-z]{26}$/.test(id) && id.length > length;
}
