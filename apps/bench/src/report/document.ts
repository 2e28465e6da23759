/** The result of a run inside a document, between two marks; what people wrote around it stays. */
import { renderResult, type Report } from './report.js';

const BEGIN = '<!-- bench: written by `npm run bench -- --markdown` -->';
const END = '<!-- /bench -->';

/** The document with this result in place of the one that was there. Throws `Error` when it has no place for one. */
export function intoDocument(document: string, report: Report): string {
  const [before, rest, ...more] = document.split(BEGIN);
  const [, after, ...ends] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined || more.length + ends.length > 0)
    throw new Error(`The document needs one line ${BEGIN} and, after it, one line ${END}`);
  return `${before}${BEGIN}\n\n${renderResult(report)}\n\n${END}${after}`;
}
