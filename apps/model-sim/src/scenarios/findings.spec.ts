import { describe, expect, it } from '@jest/globals';
import { estimateTokens } from '../tokens.js';
import { findingsOf, fitTodos, type Todo } from './findings.js';
import { languageOf } from './languages.js';

describe('findingsOf', () => {
  it('lets the leftmost match of a line decide, also when matches come in another order', () => {
    const at = { path: 'a.ts', line: 7 };
    const { todos } = findingsOf(new Map(), [
      { ...at, column: 400, text: '…x FIXME late' },
      { ...at, column: 5, text: '  // TODO early…' },
    ]);
    expect(todos).toEqual([{ file: 'a.ts', line: 7, kind: 'TODO', text: '// TODO early…' }]);
  });

  it('counts a file once, however often it was listed', () => {
    const file = { kind: 'file' as const, path: 'a.ts', lines: 3, bytes: 30 };
    expect(findingsOf(new Map([['.', [file, file]]]), [])).toMatchObject({ files: 1, lines: 3, bytes: 30 });
  });
});

describe('fitTodos', () => {
  const todos: Todo[] = Array.from({ length: 50 }, (_none, line) => ({
    file: 'a.ts',
    line,
    kind: 'TODO',
    text: '말'.repeat(150),
  }));

  it('shortens texts before it leaves anything out', () => {
    const fitted = fitTodos(todos, 2_000, estimateTokens);
    expect(fitted.omitted).toBe(0);
    expect(Array.from(fitted.todos[0]?.text ?? '').length).toBe(81);
  });

  it('says how many did not fit', () => {
    const fitted = fitTodos(todos, 500, estimateTokens);
    expect(fitted.todos.length + fitted.omitted).toBe(50);
    expect(fitted.omitted).toBeGreaterThan(0);
    expect(estimateTokens(JSON.stringify(fitted.todos))).toBeLessThanOrEqual(500);
  });
});

describe('languageOf', () => {
  it.each([
    ['src/a.d.ts', 'TypeScript'],
    ['A.PY', 'Python'],
    ['Dockerfile', 'Dockerfile'],
    ['.gitignore', 'Other'],
    ['.json', 'Other'],
    ['constructor', 'Other'],
    ['x.constructor', 'Other'],
    ['dir.ts/notes', 'Other'],
  ])('%s is %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });
});
