/** The setting that names the secret values of an installation. */
import { z } from 'zod';

/** A secret of the installation, and what it is called where it is masked. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** Names and values: a JSON object, or lines like in an environment file. The problem never holds a value. */
export function secretValues() {
  return z.string().transform((text, context): readonly SecretValue[] => {
    const read = text.trimStart().startsWith('{') ? fromJson(text) : fromLines(text);
    if (typeof read !== 'string') return read;
    context.addIssue(read);
    return z.NEVER;
  });
}

/** As `SECRET_VALUES` takes them, for another process. */
export function secretLines(values: readonly SecretValue[]): string {
  return values.map(({ name, value }) => `${name}="${value.replace(/[\\"]/g, '\\$&')}"`).join('\n');
}

function fromJson(text: string): readonly SecretValue[] | string {
  const problem = 'must be a JSON object of names and texts, or lines like NAME=value';
  try {
    const values = z.record(z.string(), z.string()).safeParse(JSON.parse(text)).data;
    return values ? Object.entries(values).map(([name, value]) => ({ name, value })) : problem;
  } catch {
    return problem; // What the parser says may quote a value.
  }
}

/** A value in quotes may have several lines; one without is the rest of its line, `#` and all. */
const LINE =
  /[ \t]*(?:#[^\n]*|(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"([^"\\]*(?:\\[^][^"\\]*)*)"[ \t]*|'([^']*)'[ \t]*|([^\n]*)))?(?:\n|$)/y;

function fromLines(given: string): readonly SecretValue[] | string {
  const text = given.replaceAll('\r\n', '\n');
  const values: SecretValue[] = [];
  const line = new RegExp(LINE);
  while (line.lastIndex < text.length) {
    const at = line.lastIndex;
    const match = line.exec(text);
    if (match === null) return `must have lines like NAME=value; line ${lineAt(text, at)} is not one`;
    const [, name, quoted, raw, plain] = match;
    if (name === undefined) continue;
    values.push({ name, value: quoted === undefined ? (raw ?? plain?.trim() ?? '') : unescaped(quoted) });
  }
  return values;
}

function unescaped(text: string): string {
  return text.replace(/\\([^])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
