/** The survey as a Markdown page. */
import type { SurveyOutput } from './findings.js';

/** A folder that not all is known of. */
export interface Gap {
  folder: string;
  why: string;
  /** What is known of it is in the numbers. */
  isCounted: boolean;
}

/** The typed output has them all; a page with thousands of lines is read by no one. */
const MAX_TODOS = 200;
const MAX_GAPS = 200;

/** The text of the report. */
export function surveyReport(output: SurveyOutput, gaps: readonly Gap[]): string {
  const { totals, folders, languages, largest } = output;
  return [
    '# Survey report',
    '> Produced by the simulated model (Bullpen model simulator), not by Claude. The numbers come from real tool calls.',
    [
      `- Files: **${formatted(totals.files)}**`,
      `- Lines: **${formatted(totals.lines)}**`,
      `- Bytes: **${formatted(totals.bytes)}**`,
      `- TODO and FIXME lines: **${formatted(output.todos.length)}**`,
    ].join('\n'),
    ...gapSection(
      'Not surveyed',
      'The numbers in this report leave out these folders:',
      gaps.filter(({ isCounted }) => !isCounted),
    ),
    ...gapSection(
      'Surveyed in part',
      'The numbers of these folders are incomplete:',
      gaps.filter(({ isCounted }) => isCounted),
    ),
    '## Folders',
    table(
      ['Folder', 'Files', 'Lines'],
      folders.map(({ folder, files, lines }) => [code(folder), formatted(files), formatted(lines)]),
    ),
    '## Languages',
    table(
      ['Language', 'Files', 'Lines'],
      languages.map(({ language, files, lines }) => [language, formatted(files), formatted(lines)]),
    ),
    '## Open TODOs',
    todoList(output),
    '## Largest files',
    table(
      ['File', 'Bytes'],
      largest.map(({ file, bytes }) => [code(file), formatted(bytes)]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

function gapSection(title: string, note: string, gaps: readonly Gap[]): string[] {
  if (gaps.length === 0) return [];
  const lines = gaps
    .slice(0, MAX_GAPS)
    .map(({ folder, why }) => `- ${code(folder)}: ${oneLine(why).slice(0, 200)}`);
  const rest = gaps.length - lines.length;
  const more = rest > 0 ? [`- … and ${formatted(rest)} more, named in the output of the task`] : [];
  return [`## ${title}`, note, [...lines, ...more].join('\n')];
}

function todoList({ todos }: SurveyOutput): string {
  if (todos.length === 0) return 'None.';
  const lines = todos
    .slice(0, MAX_TODOS)
    .map(
      ({ file, line, kind, text }) =>
        `- ${code(`${file}:${line}`)} **${kind}** ${text === '' ? '' : code(text)}`,
    );
  const rest = todos.length - lines.length;
  return [...lines, ...(rest > 0 ? [`- … and ${formatted(rest)} more in the output of the task`] : [])].join(
    '\n',
  );
}

function table(head: readonly string[], rows: readonly string[][]): string {
  if (rows.length === 0) return 'None.';
  const alignment = head.map((_title, index) => (index === 0 ? '---' : '---:'));
  return [head, alignment, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Inline code, with a fence longer than any run of backticks inside; a bar would end the cell of a table. */
function code(text: string): string {
  const line = oneLine(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

/** Line ends and other control characters would break the page; other spaces are part of a file's name. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

function formatted(count: number): string {
  return count.toLocaleString('en-US');
}
