import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { Language } from './languages/language.js';
import { FactsReader } from './parser.js';

const SOURCES = new URL('./link/', import.meta.url);
const texts = readdirSync(SOURCES).map((name) => readFileSync(new URL(name, SOURCES), 'utf8'));

it('a language whose grammar does not load is off, with the reason, and the others work', async () => {
  const reader = new FactsReader();
  expect(await reader.read('cobol' as Language, 'x')).toContain('the grammar of cobol does not load');
  expect(await reader.read('python', 'def f():\n    pass\n')).toMatchObject({ symbols: [{ name: 'f' }] });
});

it('files that are parsed again and again take no more memory', async () => {
  const reader = new FactsReader();
  const readAll = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) await reader.read('typescript', texts.join('\n'));
  };
  await readAll(4);
  // The memory of the parser is counted as external.
  const before = process.memoryUsage().external;
  await readAll(12);
  expect((process.memoryUsage().external - before) / 1e6).toBeLessThan(2);
});
