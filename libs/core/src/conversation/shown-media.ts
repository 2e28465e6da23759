/** Which pictures and documents of a conversation a model is shown. What it is not shown, it is told of. */
import { mediaText, type ContentBlock, type Media, type ModelProfile } from '@bullpen/contracts';
import { base64Length } from '../context/media.js';
import { mediaLimits } from '../task/model-facts.js';
import type { RequestMessage } from '../task/history.js';

/** What a request may have of them as base64: the provider takes 32 MB, of which the rest of it needs some. */
const MOST_BASE64 = 28 * 1_024 * 1_024;

/** The block for one. */
export function mediaBlock(media: Media): ContentBlock {
  return { type: media.mediaType === 'application/pdf' ? 'document' : 'image', media };
}

const NONE: readonly Media[] = [];

/** All of a request, in its order. A long history is looked through several times a turn: nothing is made of messages that have none. */
export function mediaIn(messages: readonly RequestMessage[]): readonly Media[] {
  const all: Media[] = [];
  for (const { content } of messages)
    for (const block of content) {
      const own = mediaOf(block);
      if (own.length > 0) all.push(...own);
    }
  return all;
}

function mediaOf(block: ContentBlock): readonly Media[] {
  if (block.type === 'tool_result') return block.media ?? NONE;
  return block.type === 'image' || block.type === 'document' ? [block.media] : NONE;
}

/**
 * The messages for a model. One that cannot see gets words; for one that can, the oldest results give way where a request would have more
 * than the provider takes. What came with the task stays.
 */
export function asSeen(
  messages: readonly RequestMessage[],
  profile: ModelProfile,
): readonly RequestMessage[] {
  const all = mediaIn(messages);
  if (all.length === 0) return messages;
  if (!(profile.sees ?? profile.dialect === 'native')) return messages.map(inWords);
  let over = mediaExcess(all, profile);
  if (over === null) return messages;
  const seen = [...messages];
  for (let at = 0; over !== null && at < seen.length; at += 1) {
    const message = seen[at];
    if (message === undefined || !message.content.some(hasResultMedia)) continue;
    seen[at] = withoutResultMedia(message);
    over = mediaExcess(mediaIn(seen), profile);
  }
  return seen;
}

/** Why the provider would refuse the pictures and documents of a request, however small the rest of it is; null when it takes them. */
export function mediaFault(messages: readonly RequestMessage[], profile: ModelProfile): string | null {
  const excess = mediaExcess(mediaIn(messages), profile);
  return excess === null
    ? null
    : `${excess}, so the request was not sent. Give the task fewer or smaller ones, or a model with a larger window.`;
}

/** What a request would have too much of for a model; null when it may have all of these. */
export function mediaExcess(all: readonly Media[], profile: ModelProfile): string | null {
  const most = mediaLimits(profile);
  const images = all.filter(({ mediaType }) => mediaType !== 'application/pdf').length;
  const pages = all.reduce((sum, media) => sum + (media.pages ?? 0), 0);
  const length = all.reduce((sum, { bytes }) => sum + base64Length(bytes), 0);
  if (images > most) return `${profile.name} takes ${most} pictures in a request, and there are ${images}`;
  if (pages > most)
    return `${profile.name} takes ${most} pages of documents in a request, and there are ${pages}`;
  if (length > MOST_BASE64)
    return `The pictures and documents have ${length} bytes as base64, and a request takes ${MOST_BASE64} of them`;
  return null;
}

function hasResultMedia(block: ContentBlock): boolean {
  return block.type === 'tool_result' && (block.media ?? []).length > 0;
}

/** Made once each: whoever measures messages knows them by their identity. */
const told = new WeakMap<RequestMessage, RequestMessage>();
const spared = new WeakMap<RequestMessage, RequestMessage>();

function inWords(message: RequestMessage): RequestMessage {
  return message.content.some((block) => mediaOf(block).length > 0)
    ? made(told, message, (block) =>
        block.type === 'image' || block.type === 'document'
          ? { type: 'text', text: `[${mediaText(block.media)}: you cannot see it]` }
          : withoutMedia(block, 'you cannot see it'),
      )
    : message;
}

function withoutResultMedia(message: RequestMessage): RequestMessage {
  return made(spared, message, (block) =>
    withoutMedia(block, 'left out to save room; read it again if you need it'),
  );
}

function withoutMedia(block: ContentBlock, why: string): ContentBlock {
  if (block.type !== 'tool_result' || block.media === undefined) return block;
  const { media, content, ...rest } = block;
  return { ...rest, content: [content, ...media.map((one) => `[${mediaText(one)}: ${why}]`)].join('\n') };
}

function made(
  known: WeakMap<RequestMessage, RequestMessage>,
  message: RequestMessage,
  change: (block: ContentBlock) => ContentBlock,
): RequestMessage {
  const before = known.get(message);
  if (before !== undefined) return before;
  const after = { ...message, content: message.content.map(change) };
  known.set(message, after);
  return after;
}
