/** Views that people keep: a screen of the dashboard with everything that its address holds. */
import { z } from 'zod';
import { ViewId } from './ids.js';

const Name = z.string().trim().min(1).max(80);
const Screen = z
  .string()
  .regex(/^[a-z][a-z-]{0,39}$/)
  .describe('Which screen, such as `tasks`.');
const Query = z
  .record(z.string().max(64), z.string().max(1_000))
  .refine((query) => Object.keys(query).length <= 40, 'must have 40 members at most')
  .describe('The query of the address of the screen.');
const Shared = z.boolean().describe('Everybody of the tenant sees it; only its maker changes it.');

export const CreateSavedView = z
  .strictObject({ name: Name, screen: Screen.default('tasks'), query: Query, shared: Shared.default(false) })
  .meta({ id: 'CreateSavedView' });
export type CreateSavedView = z.infer<typeof CreateSavedView>;
export type CreateSavedViewInput = z.input<typeof CreateSavedView>;

/** What is left out stays as it is. */
export const UpdateSavedView = z
  .strictObject({ name: Name.optional(), query: Query.optional(), shared: Shared.optional() })
  .meta({ id: 'UpdateSavedView' });
export type UpdateSavedView = z.infer<typeof UpdateSavedView>;

export const SavedView = z
  .object({
    id: ViewId,
    name: z.string(),
    screen: z.string(),
    query: z.record(z.string(), z.string()),
    shared: z.boolean(),
    mine: z.boolean().describe('Made with the key that asks.'),
    createdBy: z.string().describe('The name of the key.'),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'SavedView' });
export type SavedView = z.infer<typeof SavedView>;

export const SavedViewList = z.object({ data: z.array(SavedView) }).meta({ id: 'SavedViewList' });
export type SavedViewList = z.infer<typeof SavedViewList>;
