/** Every program that the policy knows, by name. */
import type { ProgramSchema } from '../schema/program-schema.js';
import { BUILTINS } from './builtins.js';
import { FILE_PROGRAMS } from './files.js';
import { GIT_PROGRAMS } from './git.js';
import { LANGUAGE_PROGRAMS } from './languages.js';
import { NODE_TOOLS } from './node-tools.js';
import { NODE_PROGRAMS } from './node.js';
import { SCRIPT_PROGRAMS } from './scripts.js';
import { SYSTEM_PROGRAMS } from './system.js';
import { TEXT_PROGRAMS } from './text.js';

const PROGRAMS: ReadonlyMap<string, ProgramSchema> = new Map(
  [
    BUILTINS,
    FILE_PROGRAMS,
    TEXT_PROGRAMS,
    SCRIPT_PROGRAMS,
    GIT_PROGRAMS,
    NODE_PROGRAMS,
    NODE_TOOLS,
    LANGUAGE_PROGRAMS,
    SYSTEM_PROGRAMS,
  ].flatMap((programs) => Object.entries(programs)),
);

export function programSchema(name: string): ProgramSchema | undefined {
  return PROGRAMS.get(name);
}

export function isNodeTool(name: string): boolean {
  return Object.hasOwn(NODE_TOOLS, name);
}

/** Whether the shell does it itself, without looking for a program. */
export function isBuiltin(name: string): boolean {
  return Object.hasOwn(BUILTINS, name) && name !== 'printenv';
}
