/** Serves the files of a folder. The list is made once at the start: what is not on it does not exist, however it is asked for. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';

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

/** Registers one route for each file. Files are read when asked for; browsers keep them for an hour. */
export function serveFiles(fastify: FastifyInstance, { prefix, folder, only }: StaticFiles): void {
  for (const name of filesBelow(folder)) {
    if (only && !only.includes(name)) continue;
    if (TYPES[extname(name)] === undefined) continue;
    fastify.get(`${prefix}${name}`, (_request, reply) =>
      sendFile(reply, join(folder, name), 'private, max-age=3600'),
    );
  }
}

/** Answers with a file that is there. */
export function sendFile(reply: FastifyReply, path: string, cacheControl: string): FastifyReply {
  return reply
    .type(TYPES[extname(path)] ?? 'application/octet-stream')
    .header('cache-control', cacheControl)
    .send(readFileSync(path));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}
