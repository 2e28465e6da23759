import { parseArgs } from 'node:util';
import type { Speed } from './reply/write-stream.js';

export interface CliOptions {
  port: number;
  host: string;
  scenarioFiles: string[];
  speed: Speed;
  logFile: string | undefined;
  isHelp: boolean;
}

export const USAGE = `Usage: model-sim [options]

Speaks the Anthropic Messages API with scripted agents. Everything is simulated: there is no model behind it.

  --port N          port to listen on; 0 for a free one (default 8787)
  --host HOST       address to listen on (default 127.0.0.1)
  --scenario FILE   scenario to play: .json, .js or .mjs; may be given several times (default: the built-in ones)
  --speed N         multiplies the simulated pace; "max" or 0 for no delays (default 1)
  --log FILE        append a JSON line for each request served
  --help            show this text
`;

/** Reads the command line. Throws an `Error` that names the option that is wrong. */
export function parseCliOptions(args: readonly string[]): CliOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '8787' },
      host: { type: 'string', default: '127.0.0.1' },
      scenario: { type: 'string', multiple: true, default: [] },
      speed: { type: 'string', default: '1' },
      log: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    port: parsePort(values.port),
    host: values.host,
    scenarioFiles: values.scenario,
    speed: parseSpeed(values.speed),
    logFile: values.log,
    isHelp: values.help,
  };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`--port ${text}: expected a number from 0 to 65535`);
}

function parseSpeed(text: string): Speed {
  const speed = Number(text);
  if (text === 'max' || speed === 0) return 'max';
  if (text.trim() !== '' && Number.isFinite(speed) && speed > 0) return speed;
  throw new Error(`--speed ${text}: expected a positive number or "max"`);
}
