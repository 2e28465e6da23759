/** The rows of processes in memory, for specs that are about what runs. */
import type { ProcessView } from '@bullpen/contracts';
import type { LeftProcess, NewProcess, ProcessEnd, ProcessOrder, ProcessRecords } from '../ports/process.js';

export class MemoryProcessRecords implements ProcessRecords {
  readonly rows = new Map<string, ProcessView>();
  /** What agents were told. */
  readonly notices: string[] = [];
  /** Given with the next report, as if people had asked for it. */
  orders: ProcessOrder[] = [];
  /** Whether tasks are still held by the worker. */
  held = true;

  async begin(process: NewProcess): Promise<boolean> {
    if (!this.held) return false;
    const { epoch: _, pidSpace: __, ...row } = process;
    const startedAt = new Date().toISOString();
    const end = { state: 'running' as const, exitCode: null, signal: null, cause: null, endedAt: null };
    this.rows.set(process.id, { ...row, ...end, outputBytes: 0, startedAt });
    return true;
  }

  async anchored(): Promise<void> {}

  async toBackground(id: string, limitMs: number): Promise<void> {
    this.change(id, { background: true, limitMs });
  }

  async ended(id: string, end: ProcessEnd, notice: string | null): Promise<void> {
    if (this.rows.get(id)?.state !== 'running') return;
    const { state, exitCode, signal, cause, outputBytes } = end;
    this.change(id, { state, exitCode, signal, cause, outputBytes, endedAt: new Date().toISOString() });
    if (notice !== null) this.notices.push(notice);
  }

  async report(): Promise<ProcessOrder[]> {
    return this.orders.splice(0);
  }

  async takeOver(): Promise<LeftProcess[]> {
    return [];
  }

  async list(taskId: string, limit: number): Promise<ProcessView[]> {
    return [...this.rows.values()]
      .filter((row) => row.taskId === taskId)
      .reverse()
      .slice(0, limit);
  }

  async find(taskId: string, id: string): Promise<ProcessView | null> {
    const row = this.rows.get(id);
    return row?.taskId === taskId ? row : null;
  }

  private change(id: string, change: Partial<ProcessView>): void {
    const row = this.rows.get(id);
    if (row) this.rows.set(id, { ...row, ...change });
  }
}
