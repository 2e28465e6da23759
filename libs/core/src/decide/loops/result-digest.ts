/**
 * Results without what is different each time although nothing has happened: clocks, durations, ids, progress. Two runs of the same
 * failing tests are the same result, whatever time they took.
 */

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const ESCAPE = String.fromCodePoint(0x1b);
const NUMBER = String.raw`\d+(?:[.,]\d+)?`;
const UNITS = 'ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?|h|초|분|시간';

/** In this order: what is longer first. `12:30` alone stays, as it may be a line and a column. */
const NOISE: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`${ESCAPE}\[[\d;?]*[ -/]*[@-~]`, 'g'), ''],
  // A line that was written over: what stood there last is what is seen.
  [/[^\n]*\r(?!\n|$)/g, ''],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/g, '<time>'],
  [
    new RegExp(
      String.raw`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?(?:${MONTHS})[a-z]* +\d{1,2}(?:,? +\d{4})?(?: +\d\d:\d\d(?::\d\d)?)?(?: +[A-Z]{3,4})?(?: +\d{4})?\b`,
      'g',
    ),
    '<time>',
  ],
  [/(?<![\w:.])\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M)?/gi, '<time>'],
  [/\b1[5-9]\d{8}(?:\d{3}){0,2}\b/g, '<time>'],
  [/\b0x[\da-f]{6,}\b/gi, '<id>'],
  [/\b(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{7,64}\b/gi, '<id>'],
  [/\b[a-z]{2,12}[_-](?=[\da-zA-Z]*\d)[\da-zA-Z]{10,}\b/g, '<id>'],
  [/\bpid\W{1,3}\d+/gi, '<id>'],
  [/\/tmp\/[\w.-]+/g, '<id>'],
  [/(?<=\b(?:localhost|127\.0\.0\.1):)\d{2,5}\b/g, '<port>'],
  [new RegExp(String.raw`\b${NUMBER} ?[kKMGT]?i?B\/s`, 'g'), '<rate>'],
  [new RegExp(String.raw`\b\d+m(?= ?${NUMBER}s\b)`, 'g'), '<time>'],
  [new RegExp(String.raw`\b${NUMBER} ?(?:${UNITS})(?![\w])`, 'g'), '<time>'],
];

/** A line that shows how far something is: by a bar, or by a word for what takes long. */
const PROGRESS =
  /\[[=#>.\- ]{3,}\]|[█▓▒░▏▎▍▌▋▊▉━⣿⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\b(?:progress|download|upload|fetch|receiv|resolv|compress|unpack|extract|install|transfer|copy|compil|counting|writing objects)/i;
const HOW_FAR = /\[[=#>.\- ]{3,}\]|[█▓▒░▏▎▍▌▋▊▉━⣿⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]+|\d+(?:\.\d+)? ?%|\(?\b\d+ ?\/ ?\d+\b\)?/g;

/** The text that is compared. Pure, and linear in the length. */
export function resultDigest(text: string): string {
  let plain = text;
  for (const [what, by] of NOISE) plain = plain.replace(what, by);
  return plain
    .split('\n')
    .map((line) => (PROGRESS.test(line) ? line.replace(HOW_FAR, '<progress>') : line))
    .join('\n');
}
