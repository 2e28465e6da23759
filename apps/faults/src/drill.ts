/** A part of the fault suite that runs real processes. */
export interface Drill {
  readonly id: string;
  readonly title: string;
  /** In which forms it runs. */
  readonly forms: readonly ('short' | 'default' | 'full')[];
  readonly backends: readonly ('postgres' | 'redis')[];
  /** Worst-case seconds at scale 1; it is aborted at three times that. */
  readonly seconds: number;
  run(context: DrillContext): Promise<Tally>;
}

export interface DrillContext {
  readonly backend: 'postgres' | 'redis';
  readonly seed: number;
  readonly random: () => number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /** 1 in the default form; smaller for CI's short form, larger for the full one. */
  readonly scale: number;
}

/** What a drill did and found; everything from `lost` on must be nothing. */
export interface Tally {
  tasks: number;
  kills: number;
  restarts: number;
  lost: number;
  doubled: number;
  paidTwice: number;
  stuck: number;
  violations: string[];
}
