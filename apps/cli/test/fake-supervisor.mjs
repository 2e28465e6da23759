/** A supervisor to be killed: starts the built `Stack` with the fake programs in the folder that is named, and says so. */
import { fakeStackOptions } from './fake-stack.mjs';

const { Stack } = await import('../dist/stack/stack.js');
const { parseEnv, upSettings } = await import('@bullpen/platform');
const stack = await Stack.start(
  fakeStackOptions(process.argv[2], parseEnv(upSettings, { BULLPEN_HOME: process.argv[2], PORT: '0' })),
);
process.send(stack.info);
