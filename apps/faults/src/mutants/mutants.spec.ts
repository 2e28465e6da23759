import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { copyProduct } from './product-copy.js';
import { mutants } from './run-mutants.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

describe('the planted bugs', () => {
  it('each change one place of the compiled product, and have an id of their own', async () => {
    const times = await Promise.all(
      mutants.map(async ({ id, file, find }) => {
        const text = await readFile(`${ROOT}${file}`, 'utf8');
        return [id, text.split(find).length - 1];
      }),
    );
    expect(times).toEqual(mutants.map(({ id }) => [id, 1]));
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(new Set(mutants.filter(({ short }) => short).map(({ judge }) => judge)).size).toBe(2);
  });

  it('name only what there is where they are: another bug than the one that is meant would be caught for it', async () => {
    const names = Object.getOwnPropertyNames(globalThis).map((name) => [name, false] as const);
    const config: Linter.Config = {
      languageOptions: { globals: Object.fromEntries(names) },
      rules: { 'no-undef': 'error' },
    };
    const linter = new Linter();
    const inCode = mutants.filter(({ file }) => file.endsWith('.js'));
    const unknown = await Promise.all(
      inCode.map(async ({ id, file, find, replace }) => {
        const planted = (await readFile(`${ROOT}${file}`, 'utf8')).replace(find, () => replace);
        return linter.verify(planted, config).map(({ message }) => `${id}: ${message}`);
      }),
    );
    expect(unknown.flat()).toEqual([]);
  });

  it('are planted in a copy; the product stays as it is, and a text that is not there is an error', async () => {
    const [mutant] = mutants;
    if (!mutant) throw new Error('no mutants');
    const before = await readFile(`${ROOT}${mutant.file}`, 'utf8');
    const copy = await copyProduct(ROOT);
    try {
      await copy.plant(mutant);
      expect(await readFile(`${copy.folder}/${mutant.file}`, 'utf8')).not.toBe(before);
      await expect(copy.plant({ ...mutant, find: 'no such text' })).rejects.toThrow('occurs 0 times');
    } finally {
      await copy.remove();
    }
    expect(await readFile(`${ROOT}${mutant.file}`, 'utf8')).toBe(before);
  });
});
