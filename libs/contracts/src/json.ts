/** JSON values and user-given JSON Schemas as they cross boundaries. */
import { z } from 'zod';

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export const Json: z.ZodType<Json> = z
  .lazy(() =>
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(Json), z.record(z.string(), Json)]),
  )
  .meta({ id: 'Json' });

/** A JSON Schema (draft 2020-12) object, as users write it for inputs and outputs. */
export const JsonSchema = z.record(z.string(), Json).meta({ id: 'JsonSchema' });
export type JsonSchema = z.infer<typeof JsonSchema>;

/** Money in USD as a decimal string with at most nine decimals (one nano-dollar). */
export const Usd = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be US dollars as a decimal string, like "2.50"')
  .meta({ id: 'Usd' });
