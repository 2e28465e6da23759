/** What the process that starts an embedded server and the process that owns it say to each other. */
import type { ErrorCode } from '@bullpen/contracts';

/** The one command line argument of the owner process, as JSON. */
export interface OwnerSettings {
  readonly home: string;
  /** 0: any free one. */
  readonly port: number;
  /** Server settings that win over the built-in ones. */
  readonly settings: Readonly<Record<string, string>>;
  /** When set, the server lives as long as that process, and not as long as the channel to the starter. */
  readonly untilProcessEnds: number | null;
}

export type OwnerMessage =
  | { readonly type: 'ready'; readonly url: string; readonly port: number }
  | {
      readonly type: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryable: boolean;
      readonly details: Readonly<Record<string, unknown>>;
    };
