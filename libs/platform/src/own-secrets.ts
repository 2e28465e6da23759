/** The secret values that a process knows: those of its settings, and what people name besides. All of them have to be masked. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretsOf, type GitCredential } from './git-credentials.js';
import type { SecretValue } from './secret-values.js';
import { describeSettings } from './settings.js';

interface Known {
  readonly BULLPEN_HOME: string;
  readonly MODEL_SIMULATED?: boolean;
  readonly SECRET_VALUES?: readonly SecretValue[] | undefined;
  readonly GIT_CREDENTIALS?: readonly GitCredential[] | undefined;
}

/** Where the key of this machine is kept, which the gateway makes at its first start. */
export function localKeyFile(home: string): string {
  return join(home, 'key');
}

/** Of the settings of any process, by the names of the settings. Of a URL it is the password: the rest of it is no secret. */
export function ownSecrets(settings: Known): SecretValue[] {
  const own = describeSettings().flatMap(({ name, secret }): SecretValue[] => {
    const value = (settings as unknown as Record<string, unknown>)[name];
    // A simulator takes any key; the one that it is given is a word.
    if (typeof value !== 'string' || (name === 'ANTHROPIC_API_KEY' && settings.MODEL_SIMULATED)) return [];
    const found = inUrl(value) ?? (secret ? (inCredentials(value) ?? [value]) : []);
    return found.map((text) => ({ name, value: text }));
  });
  const git = (settings.GIT_CREDENTIALS ?? []).flatMap((credential) =>
    secretsOf(credential).map((value) => ({ name: 'GIT_CREDENTIALS', value })),
  );
  return [
    ...own,
    ...git,
    ...ofClouds(process.env),
    ...localKey(settings.BULLPEN_HOME),
    ...(settings.SECRET_VALUES ?? []),
  ];
}

/** Read by the packages of clouds, and no settings of ours. */
const OF_CLOUDS = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'] as const;

function ofClouds(env: NodeJS.ProcessEnv): SecretValue[] {
  return OF_CLOUDS.flatMap((name) => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [{ name, value }];
  });
}

/** Parameters of a connection string that are passwords. */
const PASSWORD = /pass|secret|token/i;

/** Null: it is no URL. */
function inUrl(value: string): string[] | null {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(value) || !URL.canParse(value)) return null;
  const { username, password, searchParams } = new URL(value);
  const parameters = [...searchParams].flatMap(([name, text]) => (PASSWORD.test(name) ? [text] : []));
  return [decoded(password === '' ? username : password), ...parameters].filter((text) => text !== '');
}

/** `user:password@host`, which may be written where a proxy is named. Null: it is something else. */
function inCredentials(value: string): string[] | null {
  const password = /^[^\s:/@]+:([^\s@]+)@[^\s@]+$/.exec(value)?.[1];
  return password === undefined ? null : [decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray percent sign: it is meant as it stands.
  }
}

function localKey(home: string): SecretValue[] {
  try {
    return [{ name: 'BULLPEN_API_KEY', value: readFileSync(localKeyFile(home), 'utf8') }];
  } catch {
    return []; // There is none yet, or it is not for this process to read.
  }
}
