/** What came of a case. */
import type { ApiMessageView, ModelCallView, TaskView, ToolCallView } from '@bullpen/contracts';
import type { Exchange } from './wire-server.js';

/** All that is known of a task when it has come to rest. */
export interface Play {
  readonly task: TaskView;
  /** Leases that ended without a step. */
  readonly crashes: number;
  readonly exchanges: readonly Exchange[];
  readonly toolCalls: readonly ToolCallView[];
  readonly modelCalls: readonly ModelCallView[];
  readonly history: readonly ApiMessageView[];
  readonly usage: readonly UsageRow[];
  /** Contents of the files that the case asks about; null for one that is not there. */
  readonly files: ReadonlyMap<string, string | null>;
}

/** Usage as the books have it. */
export interface UsageRow {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly costNanoUsd: number | null;
  readonly estimated: boolean;
}
