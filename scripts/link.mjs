#!/usr/bin/env node
/**
 * Makes `bullpen` a command of this user, from any folder: a link in ~/.local/bin to the program of this repository, and a context for the
 * Bullpen that runs here. Needs no root, and no registry: `npx bullpen` elsewhere would fetch a package of somebody else.
 *
 *   npm run link                    into ~/.local/bin
 *   npm run link -- --to ~/bin      into another folder
 *   npm run link -- --remove        takes the link away again
 */
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const CONTEXT = 'local';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'apps/cli/bin/bullpen.js');
const { values } = parseArgs({ options: { to: { type: 'string' }, remove: { type: 'boolean' } } });
// npm runs scripts in the root of the repository; paths mean the folder where it was called.
const folder = resolve(process.env.INIT_CWD ?? '.', values.to ?? join(homedir(), '.local/bin'));
const link = join(folder, 'bullpen');

if (targetOf(link) === null && lstatSync(link, { throwIfNoEntry: false }))
  fail(
    `${link} is there and is no link to a Bullpen. Move it away, or choose a folder: npm run link -- --to DIR`,
  );
if (values.remove) remove();
else install();

function install() {
  if (targetOf(link) !== program) {
    mkdirSync(folder, { recursive: true });
    const temporary = `${link}.${process.pid}`;
    symlinkSync(program, temporary);
    renameSync(temporary, link);
  }
  console.log(`bullpen is ${link}, the program of ${root}`);
  addContext();
  if (!isOnPath(folder))
    console.log(
      `${folder} is not on your PATH yet. Type this, and put it into the profile of your shell:\n` +
        `  export PATH="${folder}:$PATH"`,
    );
}

function remove() {
  rmSync(link, { force: true });
  console.log(`${link} is gone. Contexts stay.`);
}

/** From other folders it is the Bullpen of this repository that is meant, until a person says otherwise. */
function addContext() {
  const bullpen = (...args) =>
    spawnSync(process.execPath, [program, 'context', ...args], { encoding: 'utf8' });
  if (bullpen('show', CONTEXT).status === 0) return;
  const { status, stderr } = bullpen('add', CONTEXT, '--home', join(root, '.bullpen'));
  if (status !== 0) fail(`The context ${CONTEXT} could not be added.\n${stderr}`);
  console.log(stderr.trim());
}

/** What a link of ours leads to; null for anything else, and for nothing. */
function targetOf(path) {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return null;
  const target = resolve(dirname(path), readlinkSync(path));
  return target.endsWith('/apps/cli/bin/bullpen.js') ? target : null;
}

function isOnPath(path) {
  return (process.env.PATH ?? '').split(delimiter).some((entry) => entry !== '' && resolve(entry) === path);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
