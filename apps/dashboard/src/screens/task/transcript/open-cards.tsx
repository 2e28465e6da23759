/** Which cards are open. It is kept outside of the cards, because a list draws only those that are seen. */
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';

export class OpenCards {
  private readonly chosen = new Map<string, boolean>();
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** What a person chose for this card; undefined: nothing. */
  get(key: string): boolean | undefined {
    return this.chosen.get(key);
  }

  set(key: string, isOpen: boolean): void {
    this.chosen.set(key, isOpen);
    for (const listener of this.listeners) listener();
  }
}

export const OpenCardsContext = createContext<OpenCards>(new OpenCards());

/** Whether a card is open, and how to turn that. `usually`: unless a person chose. */
export function useOpen(key: string, usually = false): readonly [boolean, () => void] {
  const cards = useContext(OpenCardsContext);
  const isOpen = useSyncExternalStore(cards.subscribe, () => cards.get(key)) ?? usually;
  const toggle = useCallback(() => cards.set(key, !isOpen), [cards, key, isOpen]);
  return [isOpen, toggle];
}
