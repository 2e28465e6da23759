/** The keys of a task's page, beside those of its parts. */
import { useNavigate } from '@tanstack/react-router';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { toggleWrap } from '../../app/look.js';
import type { Strategy } from './composer.js';
import { tabsOf, type Tab } from './tabs.js';
import type { ShownTask } from './task-context.js';

interface TaskDeeds {
  /** Begins to write to the agent. */
  write(how: Strategy): void;
  nextAsk(): void;
  show(tab: Tab): void;
  /** Opens the find of the transcript. */
  find(): void;
}

export function useTaskKeys({ task, tree }: ShownTask, { write, nextAsk, show, find }: TaskDeeds): void {
  const navigate = useNavigate();
  const goToNeighbour = (by: number): void => {
    const ids = [...tree.keys()];
    const id = ids[ids.indexOf(task.id) + by];
    if (id !== undefined) void navigate({ to: '/tasks/$taskId', params: { taskId: id } });
  };
  useShortcuts({
    i: () => write('interrupt'),
    m: () => write('queue'),
    n: nextAsk,
    w: toggleWrap,
    '[': () => goToNeighbour(-1),
    ']': () => goToNeighbour(1),
    // The browser's own find sees only what is drawn.
    'mod+f': find,
    ...Object.fromEntries(tabsOf(task).map((each, index) => [String(index + 1), () => show(each)])),
  });
}
