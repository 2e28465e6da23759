/** Which tasks: the one filter of the list, of the search, of saved views and of bulk actions. */
import { z } from 'zod';
import { AgentName } from './agent.js';
import { TaskId } from './ids.js';
import { Tag } from './tag.js';
import { StopCause, TaskState, TaskView, WaitReason } from './task.js';
import { Time } from './time.js';

const Words = z
  .string()
  .min(1)
  .max(200)
  .describe('Words that are in the title, the prompt or the messages; all of them have to be.');

const Flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((text) => (text === undefined ? undefined : text === 'true'));

const listed = <const Names extends Readonly<Record<string, string>>>(names: z.ZodEnum<Names>) =>
  z
    .string()
    .optional()
    .transform((text) => text?.split(','))
    .pipe(z.array(names).optional());

const COMMON = {
  cause: StopCause.optional(),
  errorClass: z.string().min(1).max(64).optional().describe('Class of the model error, like `rate_limit`.'),
  failure: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'must be the signature of a group of failures')
    .optional()
    .describe('Tasks that failed in this way: the `signature` of a group of failures.'),
  agent: AgentName.optional(),
  tag: Tag.optional(),
  rootId: TaskId.optional(),
  parentId: TaskId.optional(),
  archived: z
    .enum(['no', 'only', 'any'])
    .default('no')
    .describe('Archived tasks are left out unless you ask for them.'),
  createdAfter: Time.optional(),
  createdBefore: Time.optional(),
  updatedAfter: Time.optional(),
  endedAfter: Time.optional(),
  endedBefore: Time.optional(),
  q: Words.optional(),
};

/** As it stands in a body; all conditions that are given must fit. */
export const TaskFilter = z
  .strictObject({
    state: z.array(TaskState).min(1).optional(),
    waitReason: z.array(WaitReason).min(1).optional(),
    roots: z.boolean().optional().describe('Only tasks without a parent.'),
    ...COMMON,
  })
  .meta({ id: 'TaskFilter' });
export type TaskFilter = z.infer<typeof TaskFilter>;

/** Query of `GET /v1/tasks`: the filter, with lists separated by commas. */
export const ListTasks = z
  .strictObject({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    after: z.string().max(200).optional(),
    state: listed(TaskState),
    waitReason: listed(WaitReason),
    roots: Flag.describe('Only tasks without a parent.'),
    trees: Flag.describe('Say of each task also what goes on in its tree; see `tree`.'),
    ...COMMON,
  })
  .meta({ id: 'ListTasks' });
export type ListTasks = z.infer<typeof ListTasks>;

export const TaskPage = z
  .object({ data: z.array(TaskView), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'TaskPage' });
export type TaskPage = z.infer<typeof TaskPage>;
