/**
 * A model profile: everything that one request to a model is made of besides the conversation. A request takes name, address,
 * limits and thinking from one profile, so that nothing of another model ever reaches it.
 */
import { z } from 'zod';

export const ProfileName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$/,
    'must be up to 200 letters, digits and . _ : / @ -, starting with a letter or a digit',
  );

export const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']).meta({ id: 'Effort' });
export type Effort = z.infer<typeof Effort>;

/** How a model thinks before it answers: not at all, as much as it finds right, or up to a number of tokens. */
const Thinking = z
  .union([z.enum(['off', 'adaptive']), z.strictObject({ budgetTokens: z.int().min(1_024).max(128_000) })])
  .meta({ id: 'Thinking' });

/** US dollars for a million tokens; so that a token costs whole nano-dollars, with three decimals at the most. */
const PerMillion = z.number().min(0).max(1_000_000).multipleOf(0.001);

const Prices = z.strictObject({
  input: PerMillion,
  output: PerMillion,
  cacheRead: PerMillion.optional(),
  cacheWrite: PerMillion.optional(),
  cacheWrite1h: PerMillion.optional(),
});

/** What a model costs where it is no built-in price: dollars for a million tokens. What is left out costs as much as input. */
export const ProfilePrice = Prices.extend({
  above: z
    .array(Prices.extend({ promptTokens: z.int().min(0) }))
    .max(10)
    .default([])
    .describe(
      'Dearer prices for requests whose whole prompt, with what the cache holds of it, has more tokens than this.',
    ),
}).meta({ id: 'ProfilePrice' });
export type ProfilePrice = z.infer<typeof ProfilePrice>;

/** A region or a project of a cloud: a part of an address. */
const Place = z.string().regex(/^[a-z0-9][a-z0-9-]{1,62}$/, 'must be lower-case letters, digits and dashes');

export const ModelProfile = z
  .strictObject({
    name: ProfileName,
    provider: z
      .enum(['anthropic', 'compatible', 'bedrock', 'vertex'])
      .default('anthropic')
      .describe(
        'Who answers: `bedrock` of Amazon, `vertex` of Google; `compatible` is any other endpoint that speaks the Messages API.',
      ),
    model: z.string().min(1).max(200).describe('The name that the provider knows the model by.'),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('Null: the endpoint of the installation.'),
    keyName: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('What the key for `baseUrl` is called in SECRET_VALUES; null: none is sent.'),
    region: Place.nullable()
      .default(null)
      .describe('Of `bedrock` and `vertex`; null: as AWS_REGION or CLOUD_ML_REGION of the worker says.'),
    project: Place.nullable()
      .default(null)
      .describe("Of `vertex`; null: as ANTHROPIC_VERTEX_PROJECT_ID or the worker's credentials say."),
    contextWindow: z
      .int()
      .min(1_000)
      .max(10_000_000)
      .describe('Tokens that a request and its answer may have together.'),
    maxOutputTokens: z.int().min(1).max(128_000).describe('Tokens that an answer may have.'),
    dialect: z
      .enum(['native', 'xml'])
      .default('native')
      .describe('How the model calls tools; `xml` is for models that have no tools of their own.'),
    sees: z
      .boolean()
      .optional()
      .describe(
        'Whether the model takes pictures and documents; without it those with tools of their own do. Others are told in words what there is.',
      ),
    effort: Effort.nullable().default(null).describe("Null: the model's own default."),
    thinking: Thinking.default('off'),
    cacheTtl: z
      .enum(['5m', '1h'])
      .default('5m')
      .describe("How long the provider's cache keeps a prompt after its last use."),
    fallback: z
      .array(ProfileName)
      .max(8)
      .default([])
      .describe('Profiles to go on with when this one cannot answer, in this order.'),
    fallbackOnRefusal: z
      .boolean()
      .default(false)
      .describe('Whether they also take over what this one refuses.'),
    price: ProfilePrice.nullable().default(null).describe('Null: the built-in price of the model.'),
  })
  .meta({ id: 'ModelProfile' });
export type ModelProfile = z.infer<typeof ModelProfile>;

/** Which profile of a task answers now. */
export const ModelRoute = z.strictObject({
  /** Grows with each change: one that was made from an older one is not stored. */
  version: z.int(),
  /** The task's profile, then the ones to fall back to. */
  profiles: z.array(ModelProfile).min(1),
  /** The place in `profiles` of the one that gave the newest answer. */
  active: z.int().min(0),
  /** The message from which on it answers: what was thought before, another model has thought. */
  since: z.int(),
  /** When the profiles before it are tried again. */
  until: z.iso.datetime().nullable(),
});
export type ModelRoute = z.infer<typeof ModelRoute>;
