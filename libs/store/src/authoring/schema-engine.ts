/**
 * Prisma's schema engine as WebAssembly: it writes migrations, which are applied without it. The native engine would be downloaded
 * from a host that many machines cannot reach; this one comes from the npm registry with everything else and talks to Postgres
 * through the driver adapter.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { EngineAdapterFactory, enginePool } from './engine-adapter.js';

/** The types of Node 20 leave it out. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, (() => void) | undefined> } }>;
};

let loading: Promise<typeof engineModule.SchemaEngine> | undefined;

/** Runs `use` with an engine on the database; nothing of it is left open afterwards. Does not take any lock. */
export async function withSchemaEngine<T>(
  databaseUrl: string,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const Engine = await (loading ??= loadEngine());
  const pool = enginePool(databaseUrl);
  const factory = bindMigrationAwareSqlAdapterFactory(new EngineAdapterFactory(pool));
  const engine = await Engine.new({ datamodels: undefined }, () => undefined, factory);
  try {
    return await use(engine);
  } finally {
    engine.free();
    await pool.end();
  }
}

/** The published entry imports the `.wasm` file as a module, which Node cannot do yet; so it is put together by hand. */
async function loadEngine(): Promise<typeof engineModule.SchemaEngine> {
  const require = createRequire(import.meta.url);
  const script = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(script.replace(/\.js$/, '.wasm'));
  showPanics();
  const imports = Object.fromEntries(Object.entries(engineModule).map(withoutHoldingTheProcess));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': imports });
  const glue = engineModule as typeof engineModule & { __wbg_set_wasm(exports: unknown): void };
  glue.__wbg_set_wasm(instance.exports);
  instance.exports['__wbindgen_start']?.();
  return engineModule.SchemaEngine;
}

/** Where the engine leaves the text of a panic; without it all that one sees is `unreachable`. */
function showPanics(): void {
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (text: string) => {
        throw new Error(`The schema engine failed: ${text}`);
      },
    },
  });
}

/** The engine sets a timer of 10 s for its lock and leaves it running, for which a process would stay alive. */
function withoutHoldingTheProcess([name, value]: [string, unknown]): [string, unknown] {
  if (!name.startsWith('__wbg_setTimeout') || typeof value !== 'function') return [name, value];
  return [name, (...args: unknown[]): unknown => (value(...args) as NodeJS.Timeout).unref()];
}
