/** Marks a text wherever it stands within an element, without changing the element. */
import { useEffect, type RefObject } from 'react';

const NAME = 'found';
const MOST = 500;

/** While the query is not empty; `drawn` changes with what is drawn. */
export function useHighlight(place: RefObject<HTMLElement | null>, query: string, drawn: unknown): void {
  useEffect(() => {
    // Browsers without it show the place all the same.
    if (!('highlights' in CSS)) return;
    if (query === '' || place.current === null) CSS.highlights.delete(NAME);
    else CSS.highlights.set(NAME, new Highlight(...rangesOf(place.current, query.toLowerCase())));
    return () => void CSS.highlights.delete(NAME);
  }, [place, query, drawn]);
}

function rangesOf(place: HTMLElement, query: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase();
    for (
      let at = text.indexOf(query);
      at >= 0 && ranges.length < MOST;
      at = text.indexOf(query, at + query.length)
    ) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + query.length);
      ranges.push(range);
    }
  }
  return ranges;
}
