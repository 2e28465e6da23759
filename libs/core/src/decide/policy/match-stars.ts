/**
 * Whether a pattern with stars matches a text, whatever their pieces are: letters, or names of a path. A star stands for any number of
 * pieces. Only the last star is ever tried again, so the cost is at most pattern length times text length.
 */
export function matchStars<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isStar: (item: P) => boolean,
  matches: (item: P, value: T) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  for (let index = 0; index < text.length;) {
    const item = pattern[at];
    if (item !== undefined && isStar(item)) {
      star = at;
      from = index;
      at += 1;
    } else if (item !== undefined && matches(item, text[index] as T)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      from += 1;
      index = from;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}
