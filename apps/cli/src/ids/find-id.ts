/** A whole id from what a person types: the beginning of one, or its last characters. */
import { isFullId, type IdKind } from '@bullpen/contracts';
import type { Client } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { truncate } from '../render/width.js';
import { oneLine } from '../render/plain-text.js';

/** Keys of providers, tenants and workers are few, and listed whole. */
export type AnyIdKind = IdKind | 'provider' | 'tenant' | 'worker';

/** Fewer characters are a slip, unless the prefix of the kind is there, too. */
const FEWEST = 4;
const TITLE_COLUMNS = 60;

const WORDS: Readonly<Record<AnyIdKind, { readonly noun: string; readonly list: string }>> = {
  task: { noun: 'task', list: 'bullpen tasks list --subtasks' },
  ask: { noun: 'interaction', list: 'bullpen inbox --all' },
  inbox: { noun: 'message', list: 'bullpen messages <task>' },
  webhook: { noun: 'webhook', list: 'bullpen webhooks list' },
  proc: { noun: 'process', list: 'bullpen processes list <task>' },
  ckpt: { noun: 'checkpoint', list: 'bullpen checkpoints list <task>' },
  delivery: { noun: 'delivery', list: 'bullpen webhooks log <webhook>' },
  provider: { noun: 'provider key', list: 'bullpen providers list' },
  tenant: { noun: 'tenant', list: 'bullpen tenants list' },
  worker: { noun: 'worker', list: 'bullpen workers' },
};

interface Candidate {
  readonly id: string;
  readonly title: string;
}

/**
 * Whether the text is an id as it stands, so that nobody need be asked for the rest. Names of providers and tenants
 * are never cut.
 */
export function isWhole(kind: AnyIdKind, text: string): boolean {
  return kind !== 'provider' && kind !== 'tenant' && kind !== 'worker' && isFullId(kind, text);
}

/** Throws with exit code 5 when nothing fits, and 2 when it fits several, which are listed, or is too short. */
export async function findId(client: Client, kinds: readonly AnyIdKind[], text: string): Promise<string> {
  const noun = kinds.map((kind) => WORDS[kind].noun).join(' or ');
  const lists = kinds.map((kind) => `list them: ${WORDS[kind].list}`);
  const piece = text.trim().toLowerCase();
  if (piece.length < FEWEST && !kinds.includes('tenant'))
    throw new CliError(
      EXIT.usage,
      `"${text}" is too short for the id of a ${noun}: give ${FEWEST} characters or more.`,
      lists,
    );
  const found: Candidate[] = [];
  let hasMore = false;
  for (const kind of kinds) {
    const candidates = await candidatesOf(client, kind, piece);
    found.push(...candidates.data);
    hasMore ||= candidates.hasMore;
  }
  const [only] = found;
  if (only === undefined) throw new CliError(EXIT.notFound, `No ${noun} has an id like "${text}".`, lists);
  if (found.length === 1) return only.id;
  const lines = found.map(({ id, title }) => `\n  ${id}  ${truncate(oneLine(title), TITLE_COLUMNS)}`);
  throw new CliError(
    EXIT.usage,
    `"${text}" matches several; give more of the id:${lines.join('')}${hasMore ? '\n  and more' : ''}`,
  );
}

async function candidatesOf(
  client: Client,
  kind: AnyIdKind,
  piece: string,
): Promise<{ readonly data: readonly Candidate[]; readonly hasMore: boolean }> {
  if (kind === 'provider') {
    const keys = await client.providers.list();
    return pick(
      keys.map(({ id, endpoint }) => ({ id, title: endpoint })),
      piece,
    );
  }
  if (kind === 'tenant') {
    const tenants = await client.tenants.list();
    return pick(
      tenants.map(({ id, name }) => ({ id, title: name })),
      piece,
    );
  }
  if (kind === 'worker') {
    const { data } = await client.workers.list();
    return pick(
      data.map(({ id, host }) => ({ id, title: host })),
      piece,
    );
  }
  // No id has other characters, so none is like this.
  if (!/^[0-9a-z_]{1,40}$/.test(piece)) return { data: [], hasMore: false };
  return client.ids.find({ kind, piece });
}

function pick(all: readonly Candidate[], piece: string): { data: readonly Candidate[]; hasMore: boolean } {
  const exact = all.filter(({ id }) => id === piece);
  const like = all.filter(({ id }) => id.startsWith(piece) || id.endsWith(piece));
  return { data: exact.length > 0 ? exact : like, hasMore: false };
}
