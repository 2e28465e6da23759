/** Tenants: who shares the installation, and how much of it each may have. */
import { z } from 'zod';

export const TenantId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits and hyphens, a letter first');

const Name = z.string().trim().min(1).max(200);
const Weight = z
  .int()
  .min(1)
  .max(1000)
  .describe('Share of the slots, relative to other tenants that wait for one.');
const MaxRunning = z
  .int()
  .min(1)
  .max(1_000_000)
  .nullable()
  .describe('How many tasks may run at the same time; null: as many as there are slots.');

export const TenantView = z
  .object({
    id: z.string(),
    name: z.string(),
    weight: Weight,
    maxRunning: MaxRunning,
    running: z.int().describe('Tasks that hold a slot right now.'),
    queued: z.int().describe('Tasks that want a slot.'),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Tenant' });
export type TenantView = z.infer<typeof TenantView>;

export const TenantList = z.object({ data: z.array(TenantView) }).meta({ id: 'TenantList' });
export type TenantList = z.infer<typeof TenantList>;

export const CreateTenant = z
  .strictObject({
    id: TenantId,
    name: Name.optional().describe('Default: the id.'),
    weight: Weight.default(1),
    maxRunning: MaxRunning.default(null),
  })
  .meta({ id: 'CreateTenant' });
export type CreateTenant = z.infer<typeof CreateTenant>;
export type CreateTenantInput = z.input<typeof CreateTenant>;

/** What is left out stays as it is. */
export const UpdateTenant = z
  .strictObject({ name: Name.optional(), weight: Weight.optional(), maxRunning: MaxRunning.optional() })
  .meta({ id: 'UpdateTenant' });
export type UpdateTenant = z.infer<typeof UpdateTenant>;

export const CreateTenantKey = z
  .strictObject({
    name: Name.default('api'),
    scopes: z
      .array(z.enum(['read', 'write', 'admin']))
      .min(1)
      .default(['read', 'write']),
  })
  .meta({ id: 'CreateTenantKey' });
export type CreateTenantKey = z.infer<typeof CreateTenantKey>;
export type CreateTenantKeyInput = z.input<typeof CreateTenantKey>;

/** A new API key. It is shown only once: only its hash is kept. */
export const TenantKey = z
  .object({ tenantId: z.string(), name: z.string(), scopes: z.array(z.string()), key: z.string() })
  .meta({ id: 'TenantKey' });
export type TenantKey = z.infer<typeof TenantKey>;
