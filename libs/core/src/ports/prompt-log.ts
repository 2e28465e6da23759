/** Port: keeps what model calls send and get, for people who look for the reason of something. */
import type { ParsedAnswer } from '../conversation/native-parser.js';
import type { ModelRequest } from './model.js';

export interface PromptLog {
  /** Best effort, and never throws: no task may suffer from it. */
  keep(bodies: {
    readonly callId: string;
    readonly taskId: string;
    readonly request: ModelRequest;
    readonly answer: ParsedAnswer;
  }): Promise<void>;
}
