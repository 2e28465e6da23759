/** Search in titles, prompts and transcripts. Places are offsets into text: the server writes no markup. */
import { z } from 'zod';
import { TaskId } from './ids.js';
import { TaskState } from './task.js';
import { ListTasks } from './task-filter.js';

/** Query of `GET /v1/search`: words, all of which have to be in one place, and the filter of the list. */
export const SearchQuery = z
  .strictObject({ ...ListTasks.shape, q: z.string().trim().min(1).max(200) })
  .omit({ trees: true });
export type SearchQuery = z.infer<typeof SearchQuery>;

/** A place where the words are. */
export const SearchHit = z
  .object({
    field: z.enum(['title', 'prompt', 'user', 'agent']).describe('What was said by whom.'),
    seq: z.int().describe('The event that holds it.'),
    at: z.iso.datetime(),
    text: z.string().describe('A piece of the text around the place, as it is stored.'),
    cutBefore: z.boolean(),
    cutAfter: z.boolean(),
    marks: z
      .array(z.object({ start: z.int(), end: z.int() }))
      .describe('The words in `text`, as UTF-16 offsets, in order, without overlap.'),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.infer<typeof SearchHit>;

const SearchResult = z
  .object({
    taskId: TaskId,
    rootId: TaskId,
    title: z.string(),
    agent: z.string(),
    state: TaskState,
    createdAt: z.iso.datetime(),
    hits: z.array(SearchHit).describe('The first three places, in the order of the task.'),
    hitCount: z.int().describe('In how many of its places the words are; 100 at most are counted.'),
  })
  .meta({ id: 'SearchResult' });

export const SearchPage = z
  .object({ data: z.array(SearchResult), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'SearchPage' });
export type SearchPage = z.infer<typeof SearchPage>;
