/** The system's own state as the API shows it: health, workers, agents, invariants. */
import { z } from 'zod';
import { Sandbox } from './sandbox.js';

export const Readiness = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

export const SystemInfo = z
  .object({
    version: z.string(),
    queueBackend: z.enum(['postgres', 'redis']),
    model: z.object({ baseUrl: z.string(), simulated: z.boolean() }),
    workspacePaths: z.enum(['any', 'listed', 'none']),
    workers: z.array(
      z.object({
        id: z.string(),
        pid: z.int(),
        host: z.string(),
        slots: z.int(),
        running: z.int(),
        sandbox: Sandbox.nullable().describe('What holds the programs that agents start there.'),
        seenAt: z.iso.datetime(),
      }),
    ),
    tasks: z.record(z.string(), z.int()),
    repairs: z.record(z.string(), z.int()),
  })
  .meta({ id: 'SystemInfo' });
export type SystemInfo = z.infer<typeof SystemInfo>;

/** One invariant of the design and whether the database holds it. `violations` are up to ten examples. */
export const InvariantReport = z
  .object({
    id: z.string(),
    title: z.string(),
    holds: z.boolean(),
    checked: z.int().describe('How many rows the check looked at.'),
    violations: z.array(z.string()),
  })
  .meta({ id: 'InvariantReport' });
export type InvariantReport = z.infer<typeof InvariantReport>;

/** `paused`: the provider asked for it, for some models and until a time. `parked`: the key needs a person. */
export const ProviderKeyState = z.enum(['open', 'paused', 'parked']);
export type ProviderKeyState = z.infer<typeof ProviderKeyState>;

/** A key of a model provider, by its fingerprint; the key itself is known to the workers only. */
export const ProviderKeyView = z
  .object({
    id: z.string(),
    endpoint: z.string(),
    state: ProviderKeyState,
    errorClass: z.string().nullable().describe('Why it is paused or parked.'),
    message: z.string().nullable().describe('What the provider said when the key was parked.'),
    since: z.iso.datetime().nullable(),
    pausedUntil: z.iso
      .datetime()
      .nullable()
      .describe('When the last of its paused models may be called again.'),
    pausedModels: z
      .array(z.string())
      .describe('Models that the provider asked not to be called for a while; others go on.'),
    waitingTasks: z.int().describe('Tasks that wait until somebody resumes the key.'),
    workers: z.int().describe('Live workers that call models with it.'),
  })
  .meta({ id: 'ProviderKey' });
export type ProviderKeyView = z.infer<typeof ProviderKeyView>;

export const ProviderKeyList = z.object({ data: z.array(ProviderKeyView) }).meta({ id: 'ProviderKeyList' });
export type ProviderKeyList = z.infer<typeof ProviderKeyList>;

/** Body of `POST /v1/providers/{id}/resume`. */
export const ResumeProvider = z.strictObject({}).meta({ id: 'ResumeProvider' });
export type ResumeProvider = z.infer<typeof ResumeProvider>;
