/** Names of files that a command's output goes to and that nobody runs by chance. */
const PLAIN_OUTPUT = /\.(log|out|txt|md)$/i;
const RUN_ALL_THE_SAME = /(^|\/)(cmakelists|requirements[^/]*|constraints)\.txt$/i;

export function isPlainOutput(path: string): boolean {
  return PLAIN_OUTPUT.test(path) && !RUN_ALL_THE_SAME.test(path);
}
