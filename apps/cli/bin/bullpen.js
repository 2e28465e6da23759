#!/usr/bin/env node
// Plain JavaScript on purpose: npm links this file before anything is built, so it must be able to say what is missing.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
const main = new URL('../dist/main.js', import.meta.url);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`bullpen needs Node.js 20.19 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else if (!existsSync(main)) {
  console.error('bullpen is not built yet. In the root of the repository, run: npm run build');
  process.exitCode = 1;
} else {
  await import(main.href);
}
