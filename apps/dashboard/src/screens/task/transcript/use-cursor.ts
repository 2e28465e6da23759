/** The item of a transcript that the keyboard is on: `j` and `k` go, `o` opens it, `c` copies it, `y` copies a link to it. */
import type { Row } from '@bullpen/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import { useShortcuts } from '../../../app/keys/shortcuts.js';
import { useText } from '../../../i18n/texts.js';
import { copyText } from '../../../ui/copy.js';
import { say } from '../../../ui/toast.js';
import { outputQuery } from '../queries.js';
import { useTaskId } from '../task-context.js';
import { textOf } from './copied.js';
import type { Item } from './items.js';

interface Cursor {
  /** Key of the item; null: it is on none. */
  readonly at: string | null;
  move(key: string): void;
}

/** `show` brings an item into sight. */
export function useCursor(
  items: readonly Item[],
  scroller: RefObject<HTMLElement | null>,
  show: (index: number) => void,
): Cursor {
  const t = useText();
  const taskId = useTaskId();
  const queries = useQueryClient();
  const [at, move] = useState<string | null>(null);
  const index = items.findIndex(({ key }) => key === at);
  const go = (by: number): void => {
    const next = index < 0 ? items.length - 1 : Math.min(Math.max(index + by, 0), items.length - 1);
    const item = items[next];
    if (item === undefined) return;
    move(item.key);
    show(next);
  };
  const copy = async (text: string): Promise<void> =>
    say(t((await copyText(text)) ? 'copy.copied' : 'copy.refused'));
  const rows: readonly Row[] = rowsOf(items[index]);
  const copyAll = async (): Promise<void> => {
    const outputs = rows.map(async (row) => {
      if (row.kind !== 'tool' || row.callId === null || row.preview === null) return null;
      // One that is gone is copied as far as its row has it.
      return (await queries.fetchQuery(outputQuery(taskId, row.callId)).catch(() => null))?.output ?? null;
    });
    const texts = (await Promise.all(outputs)).map((output, place) => textOf(rows[place] as Row, output));
    await copy(texts.join('\n\n'));
  };
  useShortcuts({
    j: () => go(1),
    k: () => go(-1),
    o: () => scroller.current?.querySelector<HTMLElement>('[data-at] [aria-expanded]')?.click(),
    ...(rows.length > 0 && {
      c: () => void copyAll(),
      y: () => void copy(linkTo(rows[0]?.seq ?? 0)),
    }),
  });
  return { at, move };
}

export function rowsOf(item: Item | undefined): readonly Row[] {
  return item === undefined || item.kind === 'ask' ? [] : item.rows;
}

/** The address of this page, open at an event. */
function linkTo(seq: number): string {
  const url = new URL(location.href);
  url.search = `?event=${seq}`;
  return url.href;
}
