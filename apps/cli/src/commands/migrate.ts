/** `bullpen migrate`: brings the database to this version's schema. */
import { migrate } from '@bullpen/store/server';
import type { Command } from 'commander';
import { optionsOf, printJson, type Context } from '../context.js';
import { withDatabase } from '../database.js';
import { withExamples } from '../help.js';
import { readUpSettings } from '../stack/launch.js';

export function registerMigrate(program: Command, context: Context): void {
  const command = program.command('migrate').action((_, self: Command) => runMigrate(context, self));
  withExamples(command, [
    ['bullpen migrate', 'prints what was applied; safe to run again'],
    ['DATABASE_URL=postgres://… bullpen migrate', 'another database'],
  ]);
}

async function runMigrate(context: Context, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const { BULLPEN_HOME, DATABASE_URL } = readUpSettings(context, options);
  const { applied, from } = await withDatabase(BULLPEN_HOME, DATABASE_URL, async (use) => ({
    ...(await migrate({ databaseUrl: use.url })),
    from: use.from,
  }));
  if (options.json) return printJson(io, { applied, database: from });
  for (const name of applied) io.out(name);
  io.err(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.length}.`);
}
