/** Runs a program with a text as its input: `piped.mjs TEXT PROGRAM ARGUMENT…`. */
import { spawnSync } from 'node:child_process';

const [input, ...command] = process.argv.slice(2);
const { status } = spawnSync(process.execPath, command, { input, stdio: ['pipe', 'inherit', 'inherit'] });
process.exitCode = status ?? 1;
