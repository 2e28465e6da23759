/** The rows of a list that stand still while one looks at them. */
import { useState } from 'react';
import { settle } from './settled-rows.js';

interface SettledRows<T> {
  readonly rows: readonly T[];
  readonly fresh: number;
  readonly gone: ReadonlySet<string>;
  /** Shows the new ones, and lets go of what is gone. */
  readonly showAll: () => void;
}

/** `list` names what is listed: another filter begins anew. */
export function useSettledRows<T extends { readonly id: string }>(
  list: string,
  current: readonly T[] | undefined,
): SettledRows<T> {
  const [shown, show] = useState<{ list: string; rows: readonly T[] }>({ list, rows: [] });
  const before = shown.list === list ? shown.rows : [];
  const settled = settle(before, current ?? before);
  if (current !== undefined && (shown.list !== list || settled.rows.length !== shown.rows.length))
    show({ list, rows: settled.rows });
  return { ...settled, showAll: () => show({ list, rows: current ?? [] }) };
}
