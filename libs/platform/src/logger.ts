/** The logger of every process: JSON lines on stdout, with secrets taken out. */
import { createRequire } from 'node:module';
import { pino } from 'pino';
import type * as PinoPretty from 'pino-pretty';
import { logDestination } from './log-destination.js';

/** A structured logger; `logger.child({ taskId })` binds fields. */
export type Logger = pino.Logger;

interface LoggerOptions {
  /** Which process or part speaks. */
  readonly name: string;
  /** Least severe level that is written. */
  readonly level: pino.LevelWithSilent;
  /** Lines for people instead of JSON. @defaultValue false */
  readonly pretty?: boolean;
  /** Where the lines go. @defaultValue stdout, written synchronously: a process that ends loses no line */
  readonly destination?: pino.DestinationStream;
  /** Takes registered values out of each line. */
  readonly masker?: { maskJsonText(text: string): string };
}

/** A logger that writes ISO times, level names and `name`, takes registered values out, and passes every line through `redactSecrets`. */
export function createLogger(options: LoggerOptions): Logger {
  const { masker } = options;
  const stdout = options.destination ?? logDestination(1);
  const destination = options.pretty ? forPeople(stdout) : stdout;
  return pino(
    {
      name: options.name,
      level: options.level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => redactSecrets(masker === undefined ? line : maskedLine(line, masker)) },
    },
    destination,
  );
}

/** A line ends with its line break, which is no part of its document. */
function maskedLine(line: string, masker: { maskJsonText(text: string): string }): string {
  return `${masker.maskJsonText(line.trimEnd())}\n`;
}

function forPeople(destination: pino.DestinationStream): pino.DestinationStream {
  // Only one process in a terminal needs it.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  const format = prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' });
  return { write: (line) => destination.write(format(line)) };
}

/** A silent logger, for tests and for parts that are used without a process around them. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

const SECRET_FIELD =
  /"(authorization|proxy-authorization|x-api-key|cookie|set-cookie|api_?key|auth_?token|access_?token|password|secret|anthropic_api_key)":"[^"\\]*(?:\\.[^"\\]*)*"/gi;
const URL_PASSWORD = /(:\/\/[^\s:/@"\\]{0,200}):[^\s/@"\\]{1,500}@/g;
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/g;
const PROVIDER_KEY = /\bsk-ant-[A-Za-z0-9_-]+/g;

/**
 * A serialised log line without secrets: fields named like credentials, passwords inside URLs (connection strings), bearer
 * tokens and provider keys. Works on the text, because pino's own redaction knows only fixed paths and never looks into
 * messages and stack traces, which is where drivers put connection strings.
 */
export function redactSecrets(line: string): string {
  return line
    .replace(SECRET_FIELD, '"$1":"[redacted]"')
    .replace(URL_PASSWORD, '$1:[redacted]@')
    .replace(BEARER, '$1 [redacted]')
    .replace(PROVIDER_KEY, '[redacted]');
}
