import type {
  AgentDefinition, ApiMessageView, AttemptView, CreateTaskInput, InboxMessageView, LiveDelta, SystemInfo, TaskEvent, TaskPage, TaskTree, TaskUsageView, TaskView, ToolCallView, UsageReport, EventPage,
} from '@bullpen/contracts';
export interface Api {
  tasks: {
    create(body: CreateTaskInput): Promise<TaskView>;
    get(id: string): Promise<TaskView>;
    list(query: Record<string, unknown>): Promise<TaskPage>;
    cancel(id: string, body: { reason?: string }): Promise<TaskView>;
    sendMessage(id: string, body: { text: string }): Promise<InboxMessageView>;
    tree(id: string): Promise<TaskTree>;
    usage(id: string): Promise<TaskUsageView>;
    events(id: string, query: Record<string, unknown>): Promise<EventPage>;
    apiHistory(id: string, query?: object): Promise<{ data: ApiMessageView[] }>;
    toolCalls(id: string): Promise<{ data: ToolCallView[] }>;
    attempts(id: string): Promise<{ data: AttemptView[] }>;
    stream(id: string, options: { tree?: boolean; signal?: AbortSignal }): AsyncIterable<TaskEvent | LiveDelta>;
  };
  usage: { report(query: { groupBy: string }): Promise<UsageReport> };
  system: { info(): Promise<SystemInfo> };
  agents: { list(): Promise<{ data: AgentDefinition[] }> };
  loginLinks: { create(): Promise<{ url: string }> };
}
