/** The files of a task that a person has looked at, remembered in this browser. */
import { useState } from 'react';
import { remembered } from '../../../app/remembered.js';
import type { FileChange } from '../../../ui/diff/patch.js';
import { toggled, viewedIn, withViewed, type Viewed } from './viewed.js';

const memory = remembered('viewed');

export function useViewed(taskId: string): readonly [Viewed, (file: FileChange) => void] {
  const [viewed, set] = useState(() => viewedIn(memory.read(), taskId));
  const toggle = (file: FileChange): void => {
    const next = toggled(viewed, file);
    set(next);
    memory.write(withViewed(memory.read(), taskId, next));
  };
  return [viewed, toggle];
}
