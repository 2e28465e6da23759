/** The way of a task through the work modes, and the ways on. Pure. */
import type { TaskEvent, TransitionRow, TransitionsView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';
import { wrap } from './width.js';

interface Look {
  readonly colors: Colors;
  readonly width: number;
}

/** Mode, history, what leads on now, and what does not. */
export function transitionViews(view: TransitionsView, { colors, width }: Look): string[] {
  const { mode, history, possible, impossible } = view;
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', colors.bold(title), ...lines];
  return [
    `${colors.dim('Mode')}  ${colors.bold(mode ?? 'none')}`,
    ...section('Way', history.length === 0 ? [] : [wayTable(history, { colors, width })]),
    ...section(
      'Leads on',
      possible.map(({ trigger, to, means }) => `${colors.cyan(trigger)} -> ${to}: ${oneLine(means)}`),
    ),
    ...section(
      'Not now',
      impossible.flatMap(({ trigger, to, why }) => wrap(`${trigger} -> ${to}: ${oneLine(why)}`, width)),
    ),
  ];
}

type ModeEvent = Extract<TaskEvent, { type: 'mode.changed' | 'mode.refused' }>;

export function isAboutMode(event: TaskEvent): event is ModeEvent {
  return event.type === 'mode.changed' || event.type === 'mode.refused';
}

/** A move, or why there was none, in a line. */
export function modeText(event: ModeEvent): string {
  if (event.type === 'mode.refused') return oneLine(event.data.refusal);
  const { from, to, trigger, reason } = event.data;
  return `${from} → ${to} (${trigger})${reason === null ? '' : `: ${oneLine(reason)}`}`;
}

/** The way in a line: `idle > context_navigation > implementation`; what was refused is left out. */
export function wayText(history: readonly TransitionRow[]): string | null {
  const [first] = history;
  if (first === undefined) return null;
  return [first.from, ...history.flatMap(({ to }) => (to === null ? [] : [to]))].join(' > ');
}

function wayTable(history: readonly TransitionRow[], { colors, width }: Look): string {
  return renderTable(
    history,
    [
      { title: '#', value: ({ seq }) => String(seq) },
      { title: 'AT', value: ({ at }) => at.slice(11, 19) },
      { title: 'FROM', value: ({ from }) => from },
      { title: 'TRIGGER', value: ({ trigger }) => oneLine(trigger) },
      { title: 'TO', value: ({ to }) => to ?? 'refused' },
      { title: 'BY', value: ({ by, source }) => oneLine(by ?? source) },
      { title: 'WHY', value: (row) => oneLine(row.refusal ?? row.reason ?? ''), shrinkTo: 16 },
    ],
    width,
    colors,
  );
}
