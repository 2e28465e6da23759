/**
 * Reads a process's configuration from environment variables through one zod schema. All problems are collected before
 * anything starts: a person mends a setup once, not once per variable.
 */
import { readFileSync, statSync } from 'node:fs';
import { AppError } from '@bullpen/contracts/errors';
import { z } from 'zod';

/** Environment variables as Node gives them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** One variable that cannot be used, and why. */
interface EnvProblem {
  readonly variable: string;
  readonly problem: string;
}

/**
 * The typed values of `schema`, keyed like the variables. Empty variables count as absent. A variable marked by `secret`
 * is read from the file that `<NAME>_FILE` names when the variable itself is absent.
 *
 * Pure apart from reading those files. Throws `config_invalid` with one line per wrong variable (`details.problems` has
 * them as data); values of secrets are never part of it.
 */
export function parseEnv<S extends z.ZodObject>(schema: S, env: Env): z.output<S> {
  const problems: EnvProblem[] = [];
  const values = readValues(schema, env, problems);
  const parsed = schema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const variable = String(issue.path[0] ?? 'settings');
    if (problems.some((known) => known.variable === `${variable}_FILE`)) continue;
    problems.push({ variable, problem: describeIssue(schema, variable, values[variable], issue.message) });
  }
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new AppError('config_invalid', problemText(problems), { details: { problems } });
}

/** On or off: true/1/yes/on, false/0/no/off, in any case. */
export function flag() {
  return z.string().transform((text, context) => {
    const word = text.trim().toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(word)) return true;
    if (['false', '0', 'no', 'off'].includes(word)) return false;
    context.addIssue('must be true or false');
    return z.NEVER;
  });
}

/** A whole number in plain digits, within the bounds given (both inclusive). */
export function int(bounds: { min: number; max: number }) {
  return z.string().transform((text, context) => {
    const value = /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : NaN;
    if (value >= bounds.min && value <= bounds.max) return value;
    context.addIssue(`must be a whole number from ${bounds.min} to ${bounds.max}`);
    return z.NEVER;
  });
}

/** A number, decimals allowed, within the bounds given (both inclusive). */
export function decimal(bounds: { min: number; max: number }) {
  return z.string().transform((text, context) => {
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : NaN;
    if (value >= bounds.min && value <= bounds.max) return value;
    context.addIssue(`must be a number from ${bounds.min} to ${bounds.max}`);
    return z.NEVER;
  });
}

/** A TCP port; 0 lets the system choose a free one. */
export function port() {
  return int({ min: 0, max: 65_535 });
}

/** Values separated by `separator`, trimmed, empty ones left out; never an empty list. */
export function list(separator = ',') {
  return z.string().transform((text, context) => {
    const items = text
      .split(separator)
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (items.length > 0) return items;
    context.addIssue(`must hold at least one value; separate several by "${separator}"`);
    return z.NEVER;
  });
}

/** Networks as address and prefix length (`10.0.0.0/8`), separated by commas. */
export function networks() {
  return listOf(z.union([z.cidrv4(), z.cidrv6()]), 'networks like 10.0.0.0/8 or fd00::/8');
}

const MODULE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Names of npm modules, separated by commas. */
export function moduleNames() {
  return listOf(z.string().regex(MODULE_NAME), 'names of npm modules');
}

function listOf(item: z.ZodType, expected: string) {
  return list().transform((items, context) => {
    const wrong = items.find((text) => !item.safeParse(text).success);
    if (wrong === undefined) return items;
    context.addIssue(`must be ${expected}; ${JSON.stringify(wrong)} is not one`);
    return z.NEVER;
  });
}

/** A URL with one of the given schemes (`postgres`, without the colon), kept as it was written. */
export function url(schemes: readonly string[]) {
  const expected = schemes.map((scheme) => `${scheme}://`).join(' or ');
  return z
    .string()
    .refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)), {
      error: `must be a URL that starts with ${expected}`,
    });
}

/** Marks an optional variable as secret: its value is never printed, and it may come from a file (`<NAME>_FILE`). */
export function secret<S extends z.ZodType>(schema: S, description: string): z.ZodOptional<S> {
  return schema.optional().meta({ description, secret: true });
}

/** Marks a variable that may be written in lower case as well, which then wins: those that other programs read, too. */
export function lowerCaseToo<S extends z.ZodType>(schema: S): S {
  return schema.meta({ ...z.globalRegistry.get(schema), lowerCase: true });
}

/** Marks a secret whose file nobody else may be able to read. */
export function onlyForUs<S extends z.ZodType>(schema: S): S {
  return schema.meta({ ...z.globalRegistry.get(schema), onlyForUs: true });
}

/** True for a variable marked by `secret`. */
export function isSecret(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(schema)?.['secret'] === true;
}

/** The default of a variable as one would write it in the environment; null when there is none. */
export function defaultOf(schema: z.core.$ZodType): string | null {
  return schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null;
}

function readValues(schema: z.ZodObject, env: Env, problems: EnvProblem[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, variable] of Object.entries(schema.shape)) {
    const file = env[`${name}_FILE`];
    const lower =
      z.globalRegistry.get(variable)?.['lowerCase'] === true ? env[name.toLowerCase()] : undefined;
    const text = lower || env[name];
    if (text) values[name] = text;
    else if (file && isSecret(variable)) {
      const read = readSecret(file, z.globalRegistry.get(variable)?.['onlyForUs'] === true);
      if ('text' in read) values[name] = read.text;
      else problems.push({ variable: `${name}_FILE`, problem: read.problem });
    }
  }
  return values;
}

function readSecret(path: string, onlyForUs: boolean): { text: string } | { problem: string } {
  try {
    const mode = statSync(path).mode & 0o777;
    if (onlyForUs && (mode & 0o077) !== 0)
      return {
        problem: `others can use the file ${path} (its mode is ${mode.toString(8)}); run: chmod 600 ${path}`,
      };
    // Editors and `echo` end a file with a line break, which is no part of the secret.
    const text = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    return text === '' ? { problem: `the file ${path} is empty; put the secret into it` } : { text };
  } catch (error) {
    const reason = String(error).replace(/^Error: /, '');
    return { problem: `the file cannot be read (${reason}); name a readable file, or remove the variable` };
  }
}

function describeIssue(
  schema: z.ZodObject,
  variable: string,
  value: string | undefined,
  message: string,
): string {
  const definition = schema.shape[variable];
  if (definition === undefined) return message;
  const about = z.globalRegistry.get(definition)?.description;
  const fallback = defaultOf(definition);
  if (value === undefined && fallback === null) return `is not set; set it. ${about ?? ''}`.trim();
  const given = isSecret(definition) ? '' : ` (it is ${JSON.stringify(value ?? fallback)})`;
  const remove = fallback === null ? 'remove it if it is not needed' : `remove it to use ${fallback}`;
  return `${message}${given}; ${value === undefined ? 'set it' : `change it, or ${remove}`}`;
}

function problemText(problems: readonly EnvProblem[]): string {
  const head = problems.length === 1 ? 'A setting is wrong' : `${problems.length} settings are wrong`;
  return [`${head}:`, ...problems.map(({ variable, problem }) => `  ${variable}: ${problem}`)].join('\n');
}
