import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { parseJsonScenario } from './json-scenario.js';
import { ScenarioLimits } from './rate-limits.js';
import type { AgentScript, Scenario } from './scenario.js';

const script = z.custom<AgentScript>(
  (value) => typeof value === 'function',
  'expected a function (turn) => reply',
);

const ScriptedScenario = z.object({
  name: z.string().min(1),
  description: z.string().optional(),
  agents: z.record(z.string().min(1), script),
  default: script.optional(),
  record: script.optional(),
  limits: ScenarioLimits.optional(),
});

/**
 * Loads a scenario from a `.json` file or from the default export of a `.js` or `.mjs` file.
 * Throws an `Error` that names the file and what is wrong with it. A script file is run: load only your own.
 */
export async function loadScenario(file: string): Promise<Scenario> {
  switch (extname(file)) {
    case '.json':
      return parseJsonScenario(await readJson(file), file);
    case '.js':
    case '.mjs':
      return importScenario(file);
    default:
      throw new Error(`Cannot load scenario ${file}: expected a .json, .js or .mjs file`);
  }
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`Cannot read scenario ${file}: ${String(cause)}`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Scenario ${file} is not JSON: ${String(cause)}`, { cause });
  }
}

async function importScenario(file: string): Promise<Scenario> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown };
  const parsed = ScriptedScenario.safeParse(module.default);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'default export'}: ${message}`,
  );
  throw new Error(`Scenario ${file} is not valid:\n${problems.join('\n')}`);
}
