import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { describeSettings } from './settings.js';
import { settingsTable } from './settings-table.js';

it('is in the README as the schemas have it (npm run docs:settings writes it)', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const shown = /<!-- settings:begin -->\n([\s\S]*?)\n<!-- settings:end -->/.exec(readme)?.[1]?.trim();
  expect(shown).toBe(settingsTable(describeSettings()));
});
