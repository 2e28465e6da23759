/** What others may use of the command line: the stack that `bullpen up` runs, and the file that says where it is. */
export { builtScripts } from './stack/plan.js';
export { Stack, type StackEvent, type StackOptions } from './stack/stack.js';
export { readUpFile, type UpFile } from './stack/up-file.js';
