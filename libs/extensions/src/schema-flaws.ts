/** What is wrong with the values of front matter, told as a person would look for it: with the line, and with what was meant. */
import { similarTo } from '@bullpen/contracts';
import { z } from 'zod';
import type { FrontMatter } from './front-matter.js';
import type { Flaw } from './problem.js';

/** What a schema finds wrong in front matter, with the line of each place. */
export function flawsOf(issue: z.core.$ZodIssue, { lineOf }: FrontMatter, schema: z.ZodType): Flaw[] {
  const place = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path, schema);
    const inside = place === '' ? '' : `${place}.`;
    return issue.keys.map((key) => ({
      line: lineOf([...issue.path, key]),
      message: `there is no setting ${inside}${key}${rightKey(key, known) || meant(key, known) || `; settings here: ${known.join(', ')}`}`,
    }));
  }
  return [{ line: lineOf(issue.path), message: `${place}: ${expectationOf(issue)}` }];
}

/** What settings are called elsewhere. A misnamed one must not be overlooked: without its list of tools an agent is another one. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  allowedtools: 'tools',
  allowtools: 'tools',
  disallowedtools: 'rules',
  permissions: 'approvals',
  permissionmode: 'autonomy',
  mode: 'autonomy',
  maxturns: 'limits',
  turns: 'limits',
  budget: 'limits',
  maxtokens: 'maxOutputTokens',
  output: 'outputSchema',
  input: 'inputSchema',
  effort: 'profile',
  thinking: 'profile',
};

function rightKey(key: string, known: readonly string[]): string {
  const plain = key.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (known.includes('tools') && ['prompt', 'system', 'systemprompt', 'instructions'].includes(plain))
    return '; the text below the front matter is the system prompt';
  const right = ELSEWHERE[plain];
  return right !== undefined && known.includes(right) ? `; it is called ${right} here` : '';
}

function expectationOf(issue: z.core.$ZodIssue): string {
  if (
    issue.code === 'invalid_type' &&
    issue.expected === 'array' &&
    !issue.message.endsWith('received undefined')
  )
    return 'must be a list, as in [read_file, list_files]; no word stands for all, and [] is none';
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'is missing';
  return issue.message.replace(/^Invalid input: /, '').replace(/^Invalid option: /, '');
}

/** The settings that the file may have at a place. */
function keysAt(path: readonly PropertyKey[], whole: z.ZodType): string[] {
  let schema: unknown = whole;
  for (const step of path) {
    if (schema instanceof z.ZodObject) schema = inner(schema.shape[String(step)]);
    else if (schema instanceof z.ZodArray) schema = inner(schema.element);
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** What a default and a completion are wrapped around. */
function inner(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return inner(schema.in);
  return schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault ? inner(schema.unwrap()) : schema;
}

/** A hint at what a wrong word may have been meant to be; empty when nothing is like it. */
export function meant(word: string, known: readonly string[]): string {
  const similar = similarTo(word, known);
  return similar === null ? '' : `; did you mean ${similar}?`;
}
