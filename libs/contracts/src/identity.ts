/** Who asks, and the keys that a tenant has. */
import { z } from 'zod';
import { ModelProfile } from './model-profile.js';

/** What the key of the request, or of the browser's session, may do. */
export const Identity = z
  .object({
    tenantId: z.string(),
    tenantName: z.string(),
    keyId: z.string(),
    keyName: z.string(),
    scopes: z.array(z.string()),
    now: z.iso
      .datetime()
      .describe('The clock of the server: ages are reckoned by it, not by that of a browser.'),
  })
  .meta({ id: 'Identity' });
export type Identity = z.infer<typeof Identity>;

export const ApiKeyView = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute.'),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKeyView = z.infer<typeof ApiKeyView>;

export const ApiKeyList = z.object({ data: z.array(ApiKeyView) }).meta({ id: 'ApiKeyList' });
export type ApiKeyList = z.infer<typeof ApiKeyList>;

/** A model or model profile that tasks can be given. Prices are US dollars per million tokens; null: not priced. */
export const ModelChoice = z
  .object({
    id: z.string().describe('The name of the model, or of the profile.'),
    isBuiltIn: z
      .boolean()
      .describe('A model by its name, for `model`; else a profile of this installation, for `profile`.'),
    profile: ModelProfile,
    isDefault: z.boolean(),
    contextTokens: z.int().nullable().describe('How much it reads at most, where that is known.'),
    price: z
      .object({ input: z.string(), output: z.string(), cacheRead: z.string(), cacheWrite: z.string() })
      .nullable(),
  })
  .meta({ id: 'ModelChoice' });
export type ModelChoice = z.infer<typeof ModelChoice>;

export const ModelList = z.object({ data: z.array(ModelChoice) }).meta({ id: 'ModelList' });
export type ModelList = z.infer<typeof ModelList>;
