#!/usr/bin/env node
/** Takes the pictures of the README anew: npm run docs:pictures. */
import { fileURLToPath } from 'node:url';
import { launch } from './launch.mjs';
import { takePictures } from './pictures.mjs';
import { startStack } from './stack.mjs';
import { Watch } from './watch.mjs';

const folder = fileURLToPath(new URL('../../../../docs/images', import.meta.url));
const stack = await startStack('postgres');
const browser = await launch();
try {
  const { ok, bytes } = await takePictures({ browser, stack, watch: new Watch(stack.url) }, folder);
  process.stdout.write(`${folder}: ${bytes.join(', ')} bytes\n`);
  process.exitCode = ok ? 0 : 1;
} finally {
  await browser.close();
  await stack.stop();
}
