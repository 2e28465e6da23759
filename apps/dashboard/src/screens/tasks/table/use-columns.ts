/** The columns that a person chose, remembered in this browser. */
import { useState } from 'react';
import { remembered } from '../../../app/remembered.js';
import { choiceIn, type ColumnChoice } from './columns.js';

const memory = remembered('columns');

export function useColumns(): readonly [ColumnChoice, (choice: ColumnChoice) => void] {
  const [choice, choose] = useState(() => choiceIn(memory.read()));
  const remember = (next: ColumnChoice): void => {
    choose(next);
    memory.write(JSON.stringify(next));
  };
  return [choice, remember];
}
