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
      message: `there is no setting ${inside}${key}${meant(key, known) || `; settings here: ${known.join(', ')}`}`,
    }));
  }
  return [{ line: lineOf(issue.path), message: `${place}: ${expectationOf(issue)}` }];
}

function expectationOf(issue: z.core.$ZodIssue): string {
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
