import { describe, expect, it } from '@jest/globals';
import { schemaIssues, validateJson } from './json-schema.js';

describe('JSON Schemas of users', () => {
  it('names each place where a value does not fit', () => {
    const schema = {
      type: 'object',
      required: ['n'],
      additionalProperties: false,
      properties: { n: { type: 'integer' }, kind: { enum: ['a', 'b'] } },
    };
    expect(validateJson(schema, { n: 1 })).toEqual([]);
    expect(validateJson(schema, { n: 'x', kind: 'c', more: 1 })).toEqual([
      'the value must NOT have additional properties (more)',
      '/n must be integer',
      '/kind must be equal to one of the allowed values (["a","b"])',
    ]);
  });

  it('takes formats, and the same $id in two schemas', () => {
    expect(validateJson({ $id: 'https://x.test/s', type: 'string', format: 'date' }, '2026-13-01')).toEqual([
      'the value must match format "date"',
    ]);
    expect(validateJson({ $id: 'https://x.test/s', type: 'number' }, 1)).toEqual([]);
  });

  it('says that a schema cannot be used instead of throwing', () => {
    expect(schemaIssues({ type: 'strin' })[0]).toContain('not a usable JSON Schema');
    expect(schemaIssues({ $ref: 'https://elsewhere.test/schema.json' })[0]).toContain(
      'not a usable JSON Schema',
    );
    expect(validateJson({ type: 'strin' }, 1)[0]).toContain('cannot be used');
  });
});
