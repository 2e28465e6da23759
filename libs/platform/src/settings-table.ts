/** The settings as a Markdown table, as the README shows them. */
import type { SettingDescription } from './settings.js';

const READ_BY: Readonly<Record<SettingDescription['app'], string>> = {
  all: 'all',
  gateway: 'gateway',
  worker: 'worker',
  up: '`bullpen up`',
};

/** One row a setting, in the order given; columns padded as Prettier does, so that formatting changes nothing. */
export function settingsTable(settings: readonly SettingDescription[]): string {
  const rows = [
    ['variable', 'default', 'read by', 'what it is'],
    ...settings.map(({ name, default: value, app, description, secret }) => [
      `\`${name}\``,
      value === null ? '' : `\`${value}\``,
      READ_BY[app],
      `${description}${secret ? ' Secret.' : ''}`.replaceAll('|', '\\|'),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)].join(
    '\n',
  );
}
