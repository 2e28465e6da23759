/** Queries, envelopes and small resources of the HTTP API, shared by the gateway and its clients. */
import { z } from 'zod';
import { AgentDefinition } from './agent.js';
import { ApiMessageView } from './message.js';
import { InboxMessageView } from './steering.js';
import { AttemptView } from './task.js';
import { Time } from './time.js';
import { ModelCallView, ToolCallView } from './tool-call.js';
import { UsageGroupBy } from './usage.js';
import { ModeDefinition } from './work-mode.js';

const Limit = z.coerce.number().int().min(1).max(200);
const Flag = z.enum(['true', 'false']);

/** Query of the keyset pages of one task. `after` is the `nextCursor` of the page before. */
export const PageQuery = z
  .strictObject({ limit: Limit.default(50), after: z.string().max(200).optional() })
  .meta({ id: 'PageQuery' });
export type PageQuery = z.infer<typeof PageQuery>;

const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), nextCursor: z.string().nullable(), hasMore: z.boolean() });

/** What was deleted or ended. */
export const Deleted = z.object({ id: z.string() }).meta({ id: 'Deleted' });
export type Deleted = z.infer<typeof Deleted>;

export const ToolCallPage = pageOf(ToolCallView).meta({ id: 'ToolCallPage' });
export type ToolCallPage = z.infer<typeof ToolCallPage>;
export const ModelCallPage = pageOf(ModelCallView).meta({ id: 'ModelCallPage' });
export type ModelCallPage = z.infer<typeof ModelCallPage>;
export const InboxMessagePage = pageOf(InboxMessageView).meta({ id: 'InboxMessagePage' });
export type InboxMessagePage = z.infer<typeof InboxMessagePage>;
export const ApiMessagePage = pageOf(ApiMessageView).meta({ id: 'ApiMessagePage' });
export type ApiMessagePage = z.infer<typeof ApiMessagePage>;

export const AttemptList = z.object({ data: z.array(AttemptView) }).meta({ id: 'AttemptList' });
export type AttemptList = z.infer<typeof AttemptList>;
/** Where an agent or a work mode comes from: it ships with Bullpen, or a file or a module of the installation brings it, or a workspace. */
export const AgentSource = z
  .object({
    kind: z.enum(['built-in', 'file', 'module', 'workspace']),
    name: z.string().describe('The file below the extensions folder or the workspace, or the module.'),
  })
  .meta({ id: 'AgentSource' });
export type AgentSource = z.infer<typeof AgentSource>;

/** An agent as the API shows it. */
export const AgentView = AgentDefinition.omit({
  profiles: true,
  helper: true,
  workspaceAgents: true,
  keepBodies: true,
  machine: true,
})
  .extend({ source: AgentSource })
  .meta({ id: 'AgentView' });
export type AgentView = z.infer<typeof AgentView>;

export const AgentList = z.object({ data: z.array(AgentView) }).meta({ id: 'AgentList' });
export type AgentList = z.infer<typeof AgentList>;

/** A work mode as the API shows it. */
export const ModeView = ModeDefinition.extend({ source: AgentSource }).meta({ id: 'ModeView' });
export type ModeView = z.infer<typeof ModeView>;

/** All modes, in the order of their phases. */
export const ModeList = z.object({ data: z.array(ModeView) }).meta({ id: 'ModeList' });
export type ModeList = z.infer<typeof ModeList>;

/** The whole output of a tool call, also when the model was sent only a part of it. */
export const ToolOutput = z.object({ callId: z.string(), output: z.string() }).meta({ id: 'ToolOutput' });
export type ToolOutput = z.infer<typeof ToolOutput>;

/** Position in one task's events: a sequence number. */
const SeqText = z.string().regex(/^\d{1,9}$/, 'must be the sequence number of an event');
/** Position in the events of many tasks. */
const CursorText = z.string().regex(/^\d{1,19}-\d{1,19}$/, 'must be the cursor of an event');
const Place = z.union([SeqText, CursorText], { error: 'must be the id of an event' });

/** Query of a page of events; `after` is a sequence number, or with `tree=true` a cursor. */
export const EventsQuery = z
  .strictObject({ after: Place.optional(), limit: Limit.default(200), tree: Flag.optional() })
  .meta({ id: 'EventsQuery' });
export type EventsQuery = z.infer<typeof EventsQuery>;

/** Query of a task's UI history. */
export const UiHistoryQuery = z
  .strictObject({ after: SeqText.optional(), limit: Limit.default(200) })
  .meta({ id: 'UiHistoryQuery' });
export type UiHistoryQuery = z.infer<typeof UiHistoryQuery>;

/** Query of a task's live stream. The header `Last-Event-ID` takes precedence over `after`. */
export const StreamQuery = z
  .strictObject({ after: Place.optional(), tree: Flag.optional() })
  .meta({ id: 'StreamQuery' });
export type StreamQuery = z.infer<typeof StreamQuery>;

/** Query of the live stream of all tasks; without `after` it starts now. */
export const TenantStreamQuery = z
  .strictObject({ after: z.union([CursorText, z.literal('0')]).optional() })
  .meta({ id: 'TenantStreamQuery' });
export type TenantStreamQuery = z.infer<typeof TenantStreamQuery>;

/** Query of the usage report; `from` is inclusive, `to` is not. */
export const UsageQuery = z
  .strictObject({
    groupBy: UsageGroupBy.default('day'),
    splitBy: UsageGroupBy.optional().describe('A second key: groups within groups.'),
    allTenants: Flag.optional().describe('Of everybody; needs the scope `admin`.'),
    from: Time.optional(),
    to: Time.optional(),
  })
  .meta({ id: 'UsageQuery' });
export type UsageQuery = z.infer<typeof UsageQuery>;

/** A one-time link that signs a browser in. The code is in the fragment, which browsers never send or log. */
export const LoginLink = z.object({ url: z.string(), expiresAt: z.iso.datetime() }).meta({ id: 'LoginLink' });
export type LoginLink = z.infer<typeof LoginLink>;

export const CreateSession = z
  .strictObject({ code: z.string().min(1).max(200) })
  .meta({ id: 'CreateSession' });
export type CreateSession = z.infer<typeof CreateSession>;

export const SessionView = z.object({ expiresAt: z.iso.datetime() }).meta({ id: 'Session' });
export type SessionView = z.infer<typeof SessionView>;
