/** What an agent is told about the place that it works in: the environment, the rules of the project, and what came with the task. */
import { z } from 'zod';
import { AttachmentName, Media, MediaDigest } from './media.js';
import { readableText } from './text.js';

const InWorkspace = z.string().min(1).max(1_000).describe('Relative to the workspace folder.');

/** Something that the agent gets to read with its task. */
export const ContextItem = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('file'), path: InWorkspace }),
    z.strictObject({ kind: z.literal('folder'), path: InWorkspace }),
    z.strictObject({
      kind: z.literal('text'),
      text: readableText(200_000),
      title: readableText(200).optional().describe('What it is.'),
    }),
    z
      .strictObject({
        kind: z.literal('attachment'),
        sha256: MediaDigest,
        name: AttachmentName.optional().describe('What it is called.'),
      })
      .describe('A picture or a PDF, kept with `POST /v1/attachments` before.'),
    z.strictObject({ kind: z.literal('url'), url: z.url({ protocol: /^https?$/ }).max(2_000) }),
  ])
  .meta({ id: 'ContextItem' });
export type ContextItem = z.infer<typeof ContextItem>;

const Found = {
  bytes: z.int().describe('Size of the whole.'),
  sha256: z.string().describe('Of the whole, as 64 hexadecimal digits; empty if it could not be read.'),
  text: z.string().describe('What the agent reads of it.'),
  cut: z.boolean().describe('True when that is only the beginning.'),
  problem: z.string().nullable().describe('Why there is no text, or what is missing.'),
};

/** A file with rules of the project, as it was when the task first met it. */
export const RuleFile = z
  .object({ path: z.string().describe('Relative to the workspace folder.'), ...Found })
  .meta({ id: 'RuleFile' });
export type RuleFile = z.infer<typeof RuleFile>;

/** What became of a context item when the task started. */
export const GivenItem = z
  .object({
    kind: z.enum(['file', 'folder', 'text', 'attachment', 'url']),
    name: z.string(),
    ...Found,
    media: Media.optional().describe('A picture or a document, which the agent is sent as such.'),
  })
  .meta({ id: 'GivenItem' });
export type GivenItem = z.infer<typeof GivenItem>;

/** Read once, when the task starts, and recorded: a run after a crash tells the agent the same. Rules of folders join when the agent comes there. */
export const Briefing = z
  .object({
    environment: z.string().describe('System, folder, git, date: as it was at the start.'),
    rules: z.array(RuleFile),
    items: z.array(GivenItem),
  })
  .meta({ id: 'Briefing' });
export type Briefing = z.infer<typeof Briefing>;

/** `GET /v1/tasks/{id}/briefing`. */
export const TaskBriefing = z
  .object({ briefing: Briefing.nullable().describe('Null: the task has not started.') })
  .meta({ id: 'TaskBriefing' });
export type TaskBriefing = z.infer<typeof TaskBriefing>;
