import { describe, expect, it } from '@jest/globals';
import type { ContentBlock, Media } from '@bullpen/contracts';
import { builtInProfile } from '../task/model-facts.js';
import type { RequestMessage } from '../task/history.js';
import { asSeen, mediaFault, mediaIn } from './shown-media.js';

const MB = 1_024 * 1_024;
let made = 0;
function picture(more: Partial<Media> = {}): Media {
  made += 1;
  const sha256 = made.toString(16).padStart(64, '0');
  return { sha256, mediaType: 'image/png', bytes: 2_048, width: 320, height: 200, pages: null, ...more };
}
const pdf = (pages: number, bytes = 2_048) =>
  picture({ mediaType: 'application/pdf', width: null, height: null, pages, bytes });

const shown = (media: Media): ContentBlock => ({
  type: media.pages === null ? 'image' : 'document',
  media,
});
const result = (id: string, ...media: Media[]): RequestMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: `said ${id}`, media }],
});
const prompt = (...media: Media[]): RequestMessage => ({
  role: 'user',
  content: [{ type: 'text', text: 'Look.' }, ...media.map(shown)],
});

/** Takes 100 pictures in a request. */
const small = builtInProfile('claude-haiku-4-5');
const large = builtInProfile('claude-opus-5-5');

describe('what a model is shown of pictures and documents', () => {
  it('is all of it, to the same messages, as long as the provider takes it', () => {
    const messages = [prompt(picture()), result('a', picture(), pdf(3))];
    expect(asSeen(messages, small)).toBe(messages);
    expect(mediaFault(messages, small)).toBeNull();
  });

  it('is words for a model that cannot see, the same ones each time', () => {
    const messages = [prompt(picture()), result('a', pdf(3))];
    const blind = { ...small, sees: false };
    const told = asSeen(messages, blind);
    expect(mediaIn(told)).toEqual([]);
    expect(JSON.stringify(told)).toContain('[image (png), 320x200, 2 KB: you cannot see it]');
    expect(JSON.stringify(told)).toContain('said a\\n[PDF, 3 pages, 2 KB: you cannot see it]');
    expect(asSeen(messages, blind).map((message, at) => message === told[at])).toEqual([true, true]);
  });

  it('is all but the oldest results, where there would be too much; what came with the task stays', () => {
    const own = prompt(picture());
    const results = Array.from({ length: 101 }, (_, at) => result(`r${at}`, picture()));
    const seen = asSeen([own, ...results], small);
    expect(mediaIn(seen)).toHaveLength(100);
    expect(seen[0]).toBe(own);
    expect(JSON.stringify(seen.slice(1, 3)).match(/left out to save room/g)).toHaveLength(2);
    expect(seen[3]).toBe(results[2]);
    expect(asSeen([own, ...results], large)).toHaveLength(102);
    expect(mediaIn(asSeen([own, ...results], large))).toHaveLength(102);
  });

  it.each([
    ['pictures', [prompt(...Array.from({ length: 101 }, () => picture()))], '100 pictures'],
    ['pages', [prompt(pdf(60), pdf(41))], '100 pages'],
    ['bytes', [prompt(pdf(1, 15 * MB), pdf(1, 15 * MB))], 'as base64'],
  ])('is refused before it is sent when the task itself brings too many %s', (_, messages, said) => {
    expect(mediaFault(asSeen(messages, small), small)).toContain(said);
  });
});
