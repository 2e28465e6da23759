// Writes the settings table of the README from the schemas. A spec of libs/platform fails when the two differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { describeSettings, settingsTable } from '@bullpen/platform';

const readme = new URL('../README.md', import.meta.url);
const text = readFileSync(readme, 'utf8');
const table = settingsTable(describeSettings());
const updated = text.replace(
  /(<!-- settings:begin -->\n)[\s\S]*?(\n?<!-- settings:end -->)/,
  (_, begin) => `${begin}\n${table}\n\n<!-- settings:end -->`,
);
writeFileSync(readme, updated);
