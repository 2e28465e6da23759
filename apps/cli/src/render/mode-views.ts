/** Work modes: all of them as a table, one of them in full, and a suggestion in a line. Pure. */
import type { ModeDefinition, ModeSuggestion, ModeView } from '@bullpen/contracts';
import { rulesOf } from '@bullpen/core';
import type { Colors } from '../io.js';
import { oneLine, plainText } from './plain-text.js';
import { renderTable } from './table.js';
import { wrap } from './width.js';

/** A line for each mode; the last columns give way where the terminal is narrow. */
export function modeTable(modes: readonly ModeDefinition[], width: number, colors: Colors): string {
  return renderTable(
    modes,
    [
      { title: 'MODE', value: ({ name }) => name },
      { title: 'ASKS FOR', value: ({ asks }) => asks },
      { title: 'PURPOSE', value: ({ description }) => oneLine(description), shrinkTo: 24 },
      { title: 'LEADS TO', value: (mode) => targetsOf(mode).join(', '), shrinkTo: 16 },
    ],
    width,
    colors,
  );
}

function targetsOf(mode: ModeDefinition): readonly string[] {
  return [...new Set(mode.rules.map(({ to }) => to))];
}

/** Everything about one mode, what its agent is told last. */
export function modeDetails(
  mode: ModeView,
  { width, colors }: { readonly width: number; readonly colors: Colors },
): string[] {
  return [
    colors.bold(mode.name),
    ...wrap(oneLine(mode.description), width),
    '',
    `${colors.dim('Tools'.padEnd(9))} ${mode.groups.join(', ') || 'none'}, besides questions and to-dos`,
    `${colors.dim('Asks for'.padEnd(9))} ${mode.asks}`,
    ...(mode.source.kind === 'built-in' ? [] : [`${colors.dim('From'.padEnd(9))} ${mode.source.name}`]),
    '',
    ...rulesOf(mode).map(
      ({ on, to, when, means }) =>
        `${colors.cyan(on)} -> ${to}${when === null ? '' : ` (if ${when.replaceAll('_', ' ')})`}: ${oneLine(means)}`,
    ),
    '',
    ...plainText(mode.prompt)
      .split('\n')
      .flatMap((line) => (line === '' ? [''] : wrap(line, width))),
  ];
}

export function suggestionLine({
  mode,
  confidence,
  isSure,
  reason,
}: Pick<ModeSuggestion, 'mode' | 'confidence' | 'isSure' | 'reason'>): string {
  return `${mode}  ${Math.round(confidence * 100)} %${isSure ? '' : ', not sure'}: ${oneLine(reason)}`;
}
