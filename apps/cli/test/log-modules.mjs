/** Given to Node with --import: writes the address of each module that is loaded to the file LOADED_MODULES, one a line. */
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Node loads this file again for its hooks, in a thread of their own.
if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  appendFileSync(process.env.LOADED_MODULES, `${url}\n`);
  return next(url, context);
}
