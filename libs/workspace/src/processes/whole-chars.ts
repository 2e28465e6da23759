/** The first `count` UTF-16 units of a text, one fewer when the cut would split a character. */
export function wholeChars(text: string, count: number): string {
  if (text.length <= count) return text;
  const unit = text.charCodeAt(count);
  return text.slice(0, unit >= 0xdc00 && unit <= 0xdfff ? count - 1 : count);
}
