/** What is dangerous about one command, by its meaning. Lists do not lift these; exact exceptions lift those that ask. */
import { isSecret } from '../file-names.js';
import type { Finding } from '../rules.js';
import type { Arg } from '../words.js';
import { danger, type Call } from './common.js';
import { dangerousFiles } from './files.js';
import { dangerousGit } from './git.js';
import { dangerousRemote } from './remote.js';
import { destructiveSql, isSqlClient } from './sql.js';
import { dangerousSystem } from './system.js';

/** Every danger in a call. `input` is the text that the program gets by a here-document or from an `echo`, when known. */
export function findDangers(call: Call, input: string | null): Finding[] {
  const findings = [...dangerousFiles(call), ...dangerousSystem(call), ...dangerousRemote(call)];
  if (call.program === 'git') findings.push(...dangerousGit(call));
  if (isSqlClient(call.program)) findings.push(...sql(call, input));
  const setsShell = /^g?make$/.test(call.program)
    ? call.args.find(
        ({ value }) => /^\.?(SHELL|SHELLFLAGS|MAKEFLAGS)\s*[:+?]*=/.test(value) || /^--eval/.test(value),
      )
    : undefined;
  if (setsShell !== undefined) {
    findings.push(
      danger('dangerous.environment', `${setsShell.value} decides what make runs.`, call, setsShell),
    );
  }
  const loader = call.args.find(({ value }) =>
    /^(LD_PRELOAD|LD_LIBRARY_PATH|BASH_ENV|GIT_SSH_COMMAND|PROMPT_COMMAND)=/.test(value),
  );
  if (loader !== undefined)
    findings.push(
      danger(
        'dangerous.environment',
        `${loader.value} decides what other programs load or run.`,
        call,
        loader,
      ),
    );
  return findings;
}

function sql(call: Call, input: string | null): Finding[] {
  for (const arg of call.args) {
    const statement = destructiveSql(arg.value.replace(/^(--\w+=|-[ceqQ](?=\w))/, ''));
    if (statement !== null)
      return [danger('dangerous.sql', `The SQL destroys data: ${statement}`, call, arg)];
  }
  const statement = input === null ? null : destructiveSql(input);
  return statement === null ? [] : [danger('dangerous.sql', `The SQL destroys data: ${statement}`, call)];
}

/** A word of a program without a schema that names a secret: nobody knows what the program does with it. */
export function namesSecret(args: readonly Arg[]): Arg | null {
  return args.find(({ value }) => secretIn(value)) ?? null;
}

function secretIn(value: string): boolean {
  return (
    value.length < 4_096 &&
    value.split(/[=:@,\s'"()]+/).some((piece) => piece !== '' && !/^https?$/.test(piece) && isSecret(piece))
  );
}
