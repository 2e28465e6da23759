/** Says what zod found in the words of the real API (which are those of Pydantic, with type tags inside the paths). */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The text for the first problem; the real API names only one too. */
export function shapeErrorText(issues: readonly Issue[], body: unknown): string {
  const { issue, path } = deepest(issues, body, []);
  const prefix = path.length === 0 ? '' : `${taggedPath(path, body)}: `;
  if (issue.code === 'unrecognized_keys') {
    return `${taggedPath([...path, issue.keys[0] ?? ''], body)}: Extra inputs are not permitted`;
  }
  return prefix + describe(issue, valueAt(body, path));
}

/** Steps into unions, to the branch that fits the value best: the one whose problem lies deepest. */
function deepest(issues: readonly Issue[], body: unknown, base: Path): { issue: Issue; path: Path } {
  const issue = issues[0];
  if (issue === undefined) throw new Error('a failed parse without an issue');
  const path = [...base, ...issue.path];
  if (issue.code !== 'invalid_union') return { issue, path };
  if (issue.errors.length === 0) return { issue, path: path.slice(0, -1) };
  const value = valueAt(body, path);
  const inside = issue.errors
    .filter(
      (branch) =>
        branch[0] !== undefined && !(branch[0].code === 'invalid_type' && branch[0].path.length === 0),
    )
    .filter((branch) => !isOtherToolKind(value, branch));
  const branch = inside[0] ?? issue.errors.at(-1);
  return branch === undefined ? { issue, path } : deepest(branch, body, path);
}

/** A tool with a dated type is a server tool, any other is a custom one: the other branch's problems say nothing. */
function isOtherToolKind(value: unknown, branch: readonly Issue[]): boolean {
  return typeOf(value) !== undefined && branch.some(({ path }) => path.length === 1 && path[0] === 'type');
}

function describe(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.startsWith('Input should')) return issue.message;
      return value === undefined ? 'Field required' : `Input should be ${expectedName(issue.expected)}`;
    case 'invalid_value':
      return value === undefined ? 'Field required' : `Input should be ${alternatives(issue.values)}`;
    case 'invalid_format':
      return `String should match pattern '${(issue.pattern ?? '').replace(/^\/|\/$/g, '')}'`;
    case 'too_small':
      return issue.origin === 'string'
        ? `String should have at least ${issue.minimum} character${issue.minimum === 1 ? '' : 's'}`
        : `Input should be greater than or equal to ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `String should have at most ${issue.maximum} characters`
        : `Input should be less than or equal to ${issue.maximum}`;
    case 'invalid_union':
      return typeOf(value) === undefined
        ? "Unable to extract tag using discriminator 'type'"
        : `Input tag '${typeOf(value)}' found using 'type' does not match any of the expected tags`;
    default:
      return issue.message;
  }
}

function expectedName(expected: string): string {
  switch (expected) {
    case 'string':
      return 'a valid string';
    case 'int':
      return 'a valid integer';
    case 'number':
      return 'a valid number';
    case 'boolean':
      return 'a valid boolean';
    case 'array':
      return 'a valid list';
    default:
      return 'an object';
  }
}

function alternatives(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** `messages.0.content.1.text` becomes `messages.0.content.1.tool_use.text`: the API names the kind of block or tool. */
function taggedPath(path: Path, body: unknown): string {
  const parts = path.map((key, index) => {
    const parent = path[index - 1];
    const isListItem =
      typeof key === 'number' && (parent === 'content' || parent === 'tools' || parent === 'system');
    if (!isListItem || index === path.length - 1) return String(key);
    const tag =
      typeOf(valueAt(body, path.slice(0, index + 1))) ?? (parent === 'tools' ? 'custom' : undefined);
    return tag === undefined ? String(key) : `${key}.${tag}`;
  });
  return parts.join('.');
}

function typeOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || !('type' in value)) return undefined;
  return typeof value.type === 'string' ? value.type : undefined;
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    body,
  );
}
