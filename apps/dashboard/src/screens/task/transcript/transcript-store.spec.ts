/** What the screen of a task reads of its events, and when. */
import type { EventPage, TaskEvent } from '@bullpen/contracts';
import { aStory, ROOT, waitFor } from '@bullpen/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TranscriptStore } from './transcript-store.js';

/** A task with so many messages, and a gateway that gives its events page by page. */
function aTask(count: number) {
  const story = aStory();
  const events: TaskEvent[] = Array.from({ length: count }, (_, index) =>
    story.says(ROOT, `Message ${index + 1}`, index + 1),
  );
  const reads: [number, number][] = [];
  const read = (after: number, limit: number): Promise<EventPage> => {
    reads.push([after, limit]);
    const rest = events.filter(({ seq }) => seq > after);
    const data = rest.slice(0, limit);
    return Promise.resolve({ data, hasMore: rest.length > data.length, nextAfter: null });
  };
  return { story, events, reads, store: new TranscriptStore(ROOT, read) };
}

const seqsOf = ({ snapshot }: TranscriptStore) => snapshot.stored.map(({ seq }) => seq);

describe('the transcript of a screen', () => {
  beforeEach(() => {
    Object.assign(globalThis, {
      document: { visibilityState: 'visible' },
      requestAnimationFrame: (act: () => void) => setTimeout(act, 1),
      cancelAnimationFrame: clearTimeout,
    });
  });

  it('opens with the newest 50 events, in one request, and reads older ones page by page', async () => {
    const { store, reads } = aTask(10_000);
    await store.open(10_000);
    expect([seqsOf(store).length, seqsOf(store)[0], store.snapshot.older, reads.length]).toEqual([
      50, 9_951, 9_950, 1,
    ]);
    await Promise.all([store.readOlder(), store.readOlder()]);
    expect([seqsOf(store).length, seqsOf(store)[0], reads.length]).toEqual([150, 9_851, 2]);
  });

  it('has read everything when there is nothing older', async () => {
    const { store, reads } = aTask(420);
    await store.open(420);
    await store.readAll(new AbortController().signal);
    expect([seqsOf(store).length, store.snapshot.older, reads.length]).toEqual([420, 0, 3]);
    await store.readOlder();
    expect(reads.length).toBe(3);
  });

  it('reads what the stream left out, and what came while it was away', async () => {
    const { story, store, events } = aTask(60);
    await store.open(60);
    events.push(story.says(ROOT, 'Missed', 61), story.says(ROOT, 'Heard', 62));
    store.hear(events[61] as TaskEvent);
    await waitFor(() => seqsOf(store).at(-2) === 61, { what: 'the event that was missed' });
    events.push(story.says(ROOT, 'Away', 63));
    await store.catchUp();
    expect(seqsOf(store).slice(-3)).toEqual([61, 62, 63]);
  });

  it('tells of many pieces once a frame', async () => {
    const { story, store } = aTask(1);
    await store.open(1);
    let told = 0;
    store.subscribe(() => (told += 1));
    for (let index = 0; index < 300; index += 1) store.hear(story.piece(ROOT, 'word', index * 4, 'msg_live'));
    await waitFor(() => store.snapshot.live.length === 1, { what: 'the live message' });
    expect(store.snapshot.live[0]).toMatchObject({ text: 'word'.repeat(300) });
    expect(told).toBeLessThanOrEqual(2);
  });

  it('says that it could not open, and opens when it is tried again', async () => {
    const { events } = aTask(3);
    let fails = true;
    const store = new TranscriptStore(ROOT, () =>
      fails
        ? Promise.reject(new Error('away'))
        : Promise.resolve({ data: events, hasMore: false, nextAfter: null }),
    );
    await store.open(3);
    expect([store.snapshot.state, store.snapshot.error?.message]).toEqual(['failed', 'away']);
    fails = false;
    await store.open(3);
    expect([store.snapshot.state, seqsOf(store)]).toEqual(['open', [1, 2, 3]]);
  });
});
