/** Port: keeps what model calls send and get, for people who look for the reason of something. */
import type { ContentBlock, TokenUsage } from '@bullpen/contracts';
import type { ModelError, ModelRequest } from './model.js';

/** What came of an answer, as far as it is kept. */
interface KeptAnswer {
  readonly content: readonly ContentBlock[];
  readonly stopReason: string | null;
  readonly usage: TokenUsage | null;
  readonly error: ModelError | null;
}

export interface PromptLog {
  /** Best effort, and never throws: no task may suffer from it. */
  keep(bodies: {
    readonly callId: string;
    readonly taskId: string;
    readonly request: ModelRequest;
    readonly answer: KeptAnswer;
  }): Promise<void>;
}
