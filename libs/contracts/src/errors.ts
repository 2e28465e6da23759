/** Errors alone, without the schemas of all that crosses a border: for processes that are small because there are many, or because they only wait. */
export * from './error.js';
export { systemProblem } from './system-error.js';
