/**
 * Whether the end of a list is followed. Only a person lets go, by wheel, touch, key or scrollbar, or by selecting text: the list's own
 * corrections of its place are none of that.
 */
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** Closer to the end than this counts as being there, in px. */
export const NEAR_END = 48;
/** A gesture goes on for so long by itself. */
const MOMENTUM_MS = 700;
const SCROLL_KEYS = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' '];

export interface Following {
  readonly follows: boolean;
  follow(follows: boolean): void;
}

export function useFollowing(scroller: RefObject<HTMLElement | null>): Following {
  const [follows, setFollows] = useState(true);
  const handAt = useRef(-Infinity);
  const holds = useRef(false);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const ending = new AbortController();
    const on = (target: EventTarget, type: string, act: (event: Event) => void): void =>
      target.addEventListener(type, act, { passive: true, signal: ending.signal });
    const touch = (event: Event): void => void (handAt.current = event.timeStamp);
    for (const type of ['wheel', 'touchmove']) on(element, type, touch);
    on(element, 'keydown', (event) => SCROLL_KEYS.includes((event as KeyboardEvent).key) && touch(event));
    // On the scrollbar, and not on what is in the list.
    on(element, 'pointerdown', (event) => void (holds.current = event.target === element));
    on(document, 'pointerup', (event) => {
      if (holds.current) touch(event);
      holds.current = false;
    });
    on(element, 'scroll', (event) => {
      if (!holds.current && event.timeStamp - handAt.current > MOMENTUM_MS) return;
      setFollows(distanceFromEnd(element) <= NEAR_END);
    });
    on(document, 'selectionchange', () => {
      const selection = document.getSelection();
      if (selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode))
        setFollows(false);
    });
    return () => ending.abort();
  }, [scroller]);
  const follow = useCallback((now: boolean) => {
    // Whoever asks to follow has ended the gesture, also while the list still moves with it.
    if (now) handAt.current = -Infinity;
    setFollows(now);
  }, []);
  return { follows, follow };
}

function distanceFromEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}
