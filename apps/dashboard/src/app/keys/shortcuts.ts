/** Shortcuts of a screen. A single letter moves or opens, and never acts; in a text field no letter is a shortcut. */
import { useEffect, useRef } from 'react';
import { remembered } from '../remembered.js';
import { keyOf } from './key-of.js';

/** What each key does: `j`, `g i` (one after the other), `mod+Enter`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** `off`: the person wants no single-key shortcuts. */
export const singleKeys = remembered<'off'>('single-keys');

/** Between the two keys of a pair. */
const PAIR_MS = 1_000;

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    let first: { key: string; at: number } | null = null;
    const onKey = (event: KeyboardEvent): void => {
      const key = keyOf(event);
      if (key === null || event.defaultPrevented || isRefused(event, key)) return;
      const pair = first !== null && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${key}` : null;
      first = pair === null ? { key, at: event.timeStamp } : null;
      const act = (pair === null ? undefined : current.current[pair]) ?? current.current[key];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** What these keys press by themselves. */
const PRESSES = ['Enter', ' '];
const PRESSED = 'a, button, input, summary, [role="separator"], [role="option"], [role="row"]';

function isRefused({ target }: KeyboardEvent, key: string): boolean {
  if (key.startsWith('mod+')) return false;
  if (key.length === 1 && singleKeys.read() === 'off') return true;
  // What is under a dialog is not there.
  if (document.querySelector('dialog[open], [role="dialog"]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  return isTypedInto(target) || (PRESSES.includes(key) && target.closest(PRESSED) !== null);
}

function isTypedInto(element: HTMLElement): boolean {
  if (element instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(element.type);
  return element.isContentEditable || ['TEXTAREA', 'SELECT'].includes(element.tagName);
}
