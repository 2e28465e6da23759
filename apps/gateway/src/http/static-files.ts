/** Serves the files of a folder. The list is made once at the start: what is not on it does not exist, however it is asked for. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

export interface StaticFiles {
  /** Path before the names, with a slash at the end. */
  readonly prefix: string;
  readonly folder: string;
  /** Which of the files; all when absent. */
  readonly only?: readonly string[];
  /** @defaultValue an hour */
  readonly cacheControl?: string;
}

/** Registers one route for each file. Files are read when asked for. */
export function serveFiles(fastify: FastifyInstance, options: StaticFiles): void {
  const { prefix, folder, only, cacheControl = 'private, max-age=3600' } = options;
  for (const name of filesBelow(folder)) {
    if (only && !only.includes(name)) continue;
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    fastify.get(`${prefix}${name}`, (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', cacheControl)
        .send(readFileSync(join(folder, name))),
    );
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}
