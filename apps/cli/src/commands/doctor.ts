/** `bullpen doctor`: what is there, what is missing, and how each was found out. */
import { AppError, type InvariantReport } from '@bullpen/contracts';
import type { UpSettings } from '@bullpen/platform';
import { checkInvariants, createPool } from '@bullpen/store';
import type { Command } from 'commander';
import type { GlobalOptions } from '../config.js';
import { optionsOf, printJson, type Context, type Options } from '../context.js';
import { withDatabase } from '../database.js';
import type { Check } from '../doctor/check.js';
import { extensionChecks } from '../doctor/extension-checks.js';
import { findEndpoint, type Endpoint } from '../endpoint.js';
import { dataChecks } from '../doctor/data-checks.js';
import { machineChecks } from '../doctor/machine-checks.js';
import { sandboxChecks } from '../doctor/sandbox-checks.js';
import { secretCheck } from '../doctor/secret-check.js';
import { stackChecks } from '../doctor/stack-checks.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { doctorReport, invariantReport } from '../render/doctor-report.js';
import { readUpSettings } from '../stack/launch.js';

interface DoctorFlags {
  readonly invariants?: boolean;
}

const DEFAULT_COMMAND_USER = 'nobody';

export function registerDoctor(program: Command, context: Context): void {
  const command = program
    .command('doctor')
    .option('--invariants', 'check the promises of the design against the database')
    .action((_, self: Command) => doctor(context, optionsOf<DoctorFlags>(self)));
  withExamples(command, [
    ['bullpen doctor', 'each check, its proof and the fix'],
    ['bullpen doctor --invariants', 'nothing lost, nothing done twice, nothing paid twice'],
  ]);
}

async function doctor(context: Context, options: Options<DoctorFlags>): Promise<void> {
  if (options.invariants) return reportInvariants(context, options);
  const checks = await allChecks(context, options);
  const ok = checks.every((check) => check.status !== 'fail');
  const { io } = context;
  context.setExitCode(ok ? EXIT.ok : EXIT.error);
  if (options.json) printJson(io, { ok, checks });
  else io.out(doctorReport(checks, io.columns(), io.outColors));
}

async function allChecks(context: Context, options: GlobalOptions): Promise<Check[]> {
  const settings = trySettings(context, options);
  if (!('BULLPEN_HOME' in settings)) return [...(await machineChecks(DEFAULT_COMMAND_USER)), settings];
  const endpoint = tryEndpoint(context, options);
  const groups = await Promise.all([
    machineChecks(settings.COMMAND_USER),
    sandboxChecks(settings),
    dataChecks(settings),
    stackChecks({ settings, endpoint, now: context.io.now() }),
  ]);
  return [...groups.flat(), ...(await extensionChecks(settings)), secretCheck(settings)];
}

/** The settings, or what is wrong with them: a doctor does not fall ill of its patient. */
function trySettings(context: Context, options: GlobalOptions): UpSettings | Check {
  try {
    return readUpSettings(context, options);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      name: 'Settings',
      status: 'fail',
      proof: error.message,
      fix: 'correct these environment variables',
    };
  }
}

function tryEndpoint(context: Context, options: GlobalOptions): Endpoint | null {
  try {
    return findEndpoint(options, context.env, context.cwd);
  } catch (error) {
    // Nothing runs: no fault of the installation.
    if (error instanceof CliError && error.exitCode === EXIT.unreachable) return null;
    throw error;
  }
}

async function reportInvariants(context: Context, options: GlobalOptions): Promise<void> {
  const { io } = context;
  const { BULLPEN_HOME, DATABASE_URL } = readUpSettings(context, options);
  const reports = await withDatabase(BULLPEN_HOME, DATABASE_URL, ({ url }) => invariantsOf(url));
  const ok = reports.every((report) => report.holds);
  context.setExitCode(ok ? EXIT.ok : EXIT.error);
  if (options.json) printJson(io, { ok, invariants: reports });
  else io.out(invariantReport(reports, io.columns(), io.outColors));
}

async function invariantsOf(databaseUrl: string): Promise<readonly InvariantReport[]> {
  const pool = createPool({ databaseUrl, max: 2, applicationName: 'bullpen-doctor' });
  try {
    return await checkInvariants(pool);
  } finally {
    await pool.end();
  }
}
