/**
 * The provider's prompt cache, as far as usage figures show it: entries are prefixes of the request (tools, then system,
 * then messages) that end at a `cache_control` mark. Rules are from the provider's prompt caching page, autumn 2026.
 */
import { canonicalJson, sha256 } from './canonical-json.js';
import { TokenCount } from './tokens.js';
import { blocksOf, type CacheControl, type MessagesRequest, type Usage } from './wire.js';

/** Shorter prefixes are silently not cached. The first that fits a name counts. */
const MINIMUM_TOKENS = [
  [/(opus|fable|mythos)-5/, 512],
  [/opus-4-7/, 2_048],
  [/opus-4-[56]|haiku-4-5/, 4_096],
  [/(?:)/, 1_024],
] as const;
/** A mark finds an entry that ends at most this many blocks before it. */
const LOOK_BACK_BLOCKS = 20;
const TTL_MS = { '5m': 5 * 60_000, '1h': 60 * 60_000 } as const;
type Ttl = keyof typeof TTL_MS;

type InputUsage = Omit<Usage, 'output_tokens' | 'service_tier'>;

export interface CacheLookup {
  usage: InputUsage;
  /** Makes the prefixes of this request readable. Call when the answer begins: the real cache works that way too. */
  commit(): void;
}

/** End of one cacheable piece of the request: what the prefix up to there hashes to and how long it is. */
interface Boundary {
  hash: string;
  tokens: number;
  ttl: Ttl | undefined;
}

export class PromptCache {
  private readonly expiry = new Map<string, { at: number; ttlMs: number }>();

  constructor(
    private readonly now: () => number,
    private readonly count = new TokenCount(),
  ) {}

  /** What a request reads from and writes to the cache. Changes nothing until `commit` is called. */
  lookup(request: MessagesRequest): CacheLookup {
    const boundaries = boundariesOf(request, this.count);
    const minimum = minimumOf(request.model);
    const total = Math.max(this.count.request(request), boundaries.at(-1)?.tokens ?? 0);
    const marks = boundaries.flatMap(({ ttl, tokens }, index) =>
      ttl !== undefined && tokens >= minimum ? [index] : [],
    );
    const hit = this.longestHit(boundaries, marks);
    const read = hit?.tokens ?? 0;
    const created = { '5m': 0, '1h': 0 };
    let from = read;
    for (const boundary of marks.map((index) => boundaries[index])) {
      if (boundary?.ttl === undefined || boundary.tokens <= from) continue;
      created[boundary.ttl] += boundary.tokens - from;
      from = boundary.tokens;
    }
    const startedAt = this.now();
    return {
      usage: {
        input_tokens: total - from,
        cache_creation_input_tokens: created['5m'] + created['1h'],
        cache_read_input_tokens: read,
        cache_creation: {
          ephemeral_5m_input_tokens: created['5m'],
          ephemeral_1h_input_tokens: created['1h'],
        },
      },
      commit: () => {
        this.store(
          marks.flatMap((index) => boundaries[index] ?? []),
          hit,
          startedAt,
        );
      },
    };
  }

  private longestHit(boundaries: readonly Boundary[], marks: readonly number[]): Boundary | undefined {
    for (const mark of marks.toReversed()) {
      const oldest = Math.max(0, mark - LOOK_BACK_BLOCKS);
      const hit = boundaries
        .slice(oldest, mark + 1)
        .findLast(({ hash }) => (this.expiry.get(hash)?.at ?? 0) > this.now());
      if (hit !== undefined) return hit;
    }
    return undefined;
  }

  private store(written: readonly Boundary[], hit: Boundary | undefined, startedAt: number): void {
    for (const [hash, { at }] of this.expiry) if (at <= startedAt) this.expiry.delete(hash);
    const used = hit && this.expiry.get(hit.hash);
    if (used !== undefined) used.at = startedAt + used.ttlMs;
    for (const { hash, ttl = '5m' } of written)
      this.expiry.set(hash, { at: startedAt + TTL_MS[ttl], ttlMs: TTL_MS[ttl] });
  }
}

function minimumOf(model: string): number {
  return MINIMUM_TOKENS.find(([name]) => name.test(model))?.[1] ?? 0;
}

function boundariesOf(request: MessagesRequest, count: TokenCount): Boundary[] {
  const boundaries: Boundary[] = [];
  let hash = request.model;
  let tokens = 0;
  const add = (piece: object, pieceTokens: number, mark: CacheControl | null | undefined): void => {
    hash = sha256(hash + canonicalJson({ ...piece, cache_control: undefined }));
    tokens += pieceTokens;
    boundaries.push({ hash, tokens, ttl: mark ? (mark.ttl ?? '5m') : undefined });
  };
  for (const tool of request.tools ?? []) add(tool, count.tool(tool), tool.cache_control);
  for (const block of blocksOf(request.system ?? [])) add(block, count.block(block), markOf(block));
  // A change of these invalidates the messages, but not the tools and the system prompt in front of them.
  hash = sha256(
    hash +
      canonicalJson([
        request.tool_choice ?? { type: 'auto' },
        request.thinking ?? null,
        request.output_config?.['effort'] ?? null,
      ]),
  );
  for (const { role, content } of request.messages) {
    for (const block of blocksOf(content))
      add({ role, block: { ...block, cache_control: undefined } }, count.block(block), markOf(block));
  }
  const last = boundaries.at(-1);
  if (last !== undefined && request.cache_control) last.ttl ??= request.cache_control.ttl ?? '5m';
  return boundaries;
}

function markOf(block: object): CacheControl | null | undefined {
  return 'cache_control' in block ? (block.cache_control as CacheControl | null | undefined) : undefined;
}
