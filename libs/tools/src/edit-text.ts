/** The exact replacement of one text by another, as a pure decision; and what to say when the old text is not there. */
import { preview } from '@bullpen/core';
import { similarity } from './similarity.js';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type EditResult =
  | { readonly kind: 'edited'; readonly text: string; readonly count: number; readonly line: number }
  | { readonly kind: 'applied'; readonly line: number }
  | { readonly kind: 'not_unique'; readonly count: number; readonly lines: readonly number[] }
  | { readonly kind: 'not_found'; readonly nearest: Nearest | null };

/** Lines of the file that are most like the wanted text; `line` counts from 1. */
export interface Nearest {
  readonly line: number;
  readonly text: string;
  /** True when only blanks differ. */
  readonly onlyBlanks: boolean;
}

/**
 * Applies the edit. With `mayBeApplied` (the caller does not know whether an earlier run of it got through) an edit whose
 * outcome is already in place is told as `applied`: each old text stands within a new text, or there is no old text and
 * exactly one new text (any number of them for `replaceAll`).
 */
export function applyEdit(text: string, edit: Edit, mayBeApplied: boolean): EditResult {
  const positions = positionsOf(text, edit.oldText);
  const [first] = positions;
  if (first === undefined) {
    const applied = mayBeApplied && edit.newText !== '' ? positionsOf(text, edit.newText) : [];
    const isApplied = edit.replaceAll ? applied.length > 0 : applied.length === 1;
    if (isApplied) return { kind: 'applied', line: lineAt(text, applied[0] ?? 0) };
    return { kind: 'not_found', nearest: nearestLines(text, edit.oldText) };
  }
  if (mayBeApplied && positions.every((position) => standsInNewText(text, edit, position))) {
    return { kind: 'applied', line: lineAt(text, first) };
  }
  if (positions.length > 1 && !edit.replaceAll) {
    return {
      kind: 'not_unique',
      count: positions.length,
      lines: positions.slice(0, 10).map((at) => lineAt(text, at)),
    };
  }
  const pieces = text.split(edit.oldText);
  return {
    kind: 'edited',
    text: pieces.join(edit.newText),
    count: positions.length,
    line: lineAt(text, first),
  };
}

/** Places of a text that do not overlap, in order. */
function positionsOf(text: string, wanted: string): readonly number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))
    positions.push(at);
  return positions;
}

/** True when the old text at this place is a part of a new text around it: what an edit that adds something leaves behind. */
function standsInNewText(text: string, edit: Edit, position: number): boolean {
  return positionsOf(edit.newText, edit.oldText).some((inNew) => {
    const start = position - inNew;
    return start >= 0 && text.startsWith(edit.newText, start);
  });
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Bounds of the search for the nearest lines: about a second of work at most. */
const MAX_LINES = 50_000;
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_CHARS = 1_500;
const MIN_SIMILARITY = 0.5;

function nearestLines(text: string, wanted: string): Nearest | null {
  const wantedLines = wanted.split('\n');
  const anchorIndex = wantedLines.findIndex((line) => line.trim() !== '');
  if (anchorIndex < 0) return null;
  const anchor = squeeze(wantedLines[anchorIndex] ?? '');
  const lines = text.split('\n', MAX_LINES);
  let best = { index: -1, score: 0 };
  for (const [index, line] of lines.entries()) {
    const score = scoreAt(lines, wantedLines, index, anchorIndex, similarity(squeeze(line), anchor));
    if (score > best.score) best = { index, score };
  }
  if (best.score < MIN_SIMILARITY) return null;
  const start = Math.max(0, best.index - anchorIndex);
  const shown = lines.slice(start, start + Math.min(wantedLines.length, MAX_SHOWN_LINES)).join('\n');
  const whole = lines.slice(start, start + wantedLines.length).join('\n');
  return {
    line: start + 1,
    text: preview(shown, MAX_SHOWN_CHARS),
    onlyBlanks: squeeze(whole) === squeeze(wanted),
  };
}

/** The anchor line decides; the next lines tell apart places where it is equally good. */
function scoreAt(
  lines: readonly string[],
  wanted: readonly string[],
  index: number,
  anchorIndex: number,
  anchorScore: number,
): number {
  if (anchorScore < MIN_SIMILARITY) return 0;
  const next = wanted.slice(anchorIndex + 1, anchorIndex + 4);
  const bonus = next.map((line, offset) =>
    similarity(squeeze(line), squeeze(lines[index + 1 + offset] ?? '')),
  );
  return anchorScore + bonus.reduce((sum, score) => sum + score, 0) / 10;
}

function squeeze(text: string): string {
  return text.slice(0, 10_000).trim().replace(/\s+/g, ' ');
}
