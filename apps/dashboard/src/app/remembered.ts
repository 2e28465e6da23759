/** What the dashboard remembers in this browser. A browser that keeps nothing is no failure. */

interface Remembered<T> {
  read(): T | null;
  write(value: T | null): void;
}

const PREFIX = 'bullpen.';

export function remembered<T extends string>(name: string): Remembered<T> {
  return {
    read: () => {
      try {
        return localStorage.getItem(PREFIX + name) as T | null;
      } catch {
        return null;
      }
    },
    write: (value) => {
      try {
        if (value === null) localStorage.removeItem(PREFIX + name);
        else localStorage.setItem(PREFIX + name, value);
      } catch {
        // Private windows may refuse: then the choice lasts as long as the page.
      }
    },
  };
}
