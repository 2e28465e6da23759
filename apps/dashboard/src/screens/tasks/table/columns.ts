/** The columns of the list of tasks: which there are, and which of them a person shows how wide. Pure. */
import type { TextKey } from '../../../i18n/keys.js';

const IDS = [
  'state',
  'title',
  'agent',
  'model',
  'tags',
  'tree',
  'cost',
  'context',
  'turns',
  'time',
  'created',
  'age',
] as const;
export type ColumnId = (typeof IDS)[number];

export interface Column {
  readonly id: ColumnId;
  readonly text: TextKey;
  /** In px; null: what the others leave. */
  readonly width: number | null;
  readonly isRight?: boolean;
}

/** What a person chose; the rest is as it comes. */
export interface ColumnChoice {
  readonly shown: Readonly<Partial<Record<ColumnId, boolean>>>;
  readonly widths: Readonly<Partial<Record<ColumnId, number>>>;
}

const COLUMNS: readonly (Column & { readonly isExtra?: boolean })[] = [
  { id: 'state', text: 'tasks.state', width: 178 },
  { id: 'title', text: 'tasks.task', width: null },
  { id: 'agent', text: 'tasks.agent', width: 112 },
  { id: 'model', text: 'tasks.model', width: 144, isExtra: true },
  { id: 'tags', text: 'tasks.tags', width: 120, isExtra: true },
  { id: 'tree', text: 'tasks.subtasks', width: 116 },
  { id: 'cost', text: 'tasks.cost', width: 116, isRight: true },
  { id: 'context', text: 'tasks.context', width: 84, isRight: true, isExtra: true },
  { id: 'turns', text: 'tasks.turns', width: 72, isRight: true, isExtra: true },
  { id: 'time', text: 'tasks.time', width: 92, isRight: true },
  { id: 'created', text: 'tasks.created', width: 84, isRight: true, isExtra: true },
  { id: 'age', text: 'tasks.changed', width: 88, isRight: true },
];

export const AS_IT_COMES: ColumnChoice = { shown: {}, widths: {} };

/** No column is narrower or wider. */
const LEAST = 56;
const MOST = 480;

/** Those that can be left out, and whether they are shown. */
export function choicesOf({ shown }: ColumnChoice): (Column & { readonly isShown: boolean })[] {
  return COLUMNS.filter(({ id }) => id !== 'title').map((column) => ({
    ...column,
    isShown: shown[column.id] ?? column.isExtra !== true,
  }));
}

export function columnsOf(choice: ColumnChoice): Column[] {
  const hidden = new Set(choicesOf(choice).flatMap(({ id, isShown }) => (isShown ? [] : [id])));
  return COLUMNS.filter(({ id }) => !hidden.has(id)).map((column) => ({
    ...column,
    width: column.width === null ? null : (choice.widths[column.id] ?? column.width),
  }));
}

export function withShown(choice: ColumnChoice, ids: ReadonlySet<ColumnId>): ColumnChoice {
  return {
    ...choice,
    shown: Object.fromEntries(choicesOf(choice).map(({ id }) => [id, ids.has(id)])),
  };
}

/** `width`: null gives it the width that it came with. */
export function withWidth(choice: ColumnChoice, id: ColumnId, width: number | null): ColumnChoice {
  const { [id]: _before, ...others } = choice.widths;
  const kept = width === null ? {} : { [id]: Math.min(MOST, Math.max(LEAST, Math.round(width))) };
  return { ...choice, widths: { ...others, ...kept } };
}

/** What was remembered, by whatever version. */
export function choiceIn(text: string | null): ColumnChoice {
  if (text === null) return AS_IT_COMES;
  try {
    const { shown, widths } = JSON.parse(text) as Partial<Record<keyof ColumnChoice, unknown>>;
    return { shown: known(shown, 'boolean'), widths: known(widths, 'number') };
  } catch {
    return AS_IT_COMES;
  }
}

function known<Value>(values: unknown, type: 'boolean' | 'number'): Partial<Record<ColumnId, Value>> {
  if (typeof values !== 'object' || values === null) return {};
  const entries = Object.entries(values).filter(
    ([id, value]) => (IDS as readonly string[]).includes(id) && typeof value === type,
  );
  return Object.fromEntries(entries) as Partial<Record<ColumnId, Value>>;
}
