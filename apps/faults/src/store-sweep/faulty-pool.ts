/** A process's connections to the database, any statement of which may be its last. */
import { AppError } from '@bullpen/contracts';
import type { createPool } from '@bullpen/store';

export type Pool = ReturnType<typeof createPool>;
type Client = Awaited<ReturnType<Pool['connect']>>;
type Statement = string | { readonly name?: string; readonly text: string };

/** Asked before each statement. `die`: the process is gone, the server rolls back what was open. */
export type AtStatement = (name: string) => 'go' | 'cut' | 'die';

export class FaultyPool {
  /** Transactions that are open: while there are any, nothing may be told to others. */
  private open = 0;

  /** @param sent told of what is on its way to the server: it arrives, even where the process dies meanwhile */
  constructor(
    private readonly pool: Pool,
    private readonly atStatement: AtStatement,
    private readonly sent: (answer: Promise<unknown>) => void = () => undefined,
  ) {}

  get isInside(): boolean {
    return this.open > 0;
  }

  /** The part of a pool that the store's classes use. */
  asPool(): Pool {
    const part = {
      query: (statement: Statement, values?: unknown[]) => this.query(statement, values),
      connect: () => this.connect(),
    };
    return part as unknown as Pool;
  }

  private async query(statement: Statement, values?: unknown[]): Promise<unknown> {
    if (this.fails(statement)) return new Promise(() => undefined);
    const answer = this.pool.query(statement as string, values as never);
    this.sent(answer);
    return answer;
  }

  private async connect(): Promise<Client> {
    const client = await this.pool.connect();
    let inside = false;
    /** Its end was sent, and nobody knows yet. */
    let isEnding = false;
    let lost: AppError | null = null;
    let isDead = false;
    const enter = (yes: boolean) => {
      if (yes !== inside) this.open += yes ? 1 : -1;
      inside = yes;
    };
    const part = {
      query: async (statement: Statement, values?: unknown[]) => {
        // What was sent after a statement that did not arrive does not arrive either.
        if (lost !== null) throw lost;
        if (isDead) return new Promise(() => undefined);
        try {
          isDead = this.fails(statement);
        } catch (error) {
          lost = error as AppError;
          throw error;
        }
        if (isDead) {
          client.release(new Error('the process died'));
          enter(false);
          return new Promise(() => undefined);
        }
        const ends = statement === 'COMMIT' || statement === 'ROLLBACK';
        isEnding ||= ends;
        try {
          const answer = client.query(statement as string, values as never);
          this.sent(answer);
          const result = await answer;
          if (statement === 'BEGIN') enter(true);
          return result;
        } finally {
          if (ends) enter(false);
        }
      },
      on: client.on.bind(client),
      off: client.off.bind(client),
      release: (error?: Error) => {
        if (!isEnding) enter(false);
        client.release(error);
      },
    };
    return part as unknown as Client;
  }

  /** True when the process dies here. */
  private fails(statement: Statement): boolean {
    const name = typeof statement === 'string' ? statement.slice(0, 20) : (statement.name ?? statement.text);
    switch (this.atStatement(name)) {
      case 'go':
        return false;
      case 'die':
        return true;
      case 'cut':
        throw new AppError('database_unreachable', `cut off before ${name}`, { retryable: true });
    }
  }
}
