import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@bullpen/platform';
import { openEventBus, type EventBus } from '@bullpen/queue';
import {
  createPool,
  ProviderKeys,
  providerKeyOf,
  type ProviderKey,
  type ProviderKeyState,
} from '@bullpen/store';
import { testDatabase, waitFor, type TestDatabase } from '@bullpen/testing';
import { SharedGate, type SharedGateOptions } from './provider-gate.js';

const KEY: ProviderKey = { id: '00112233445566ff', endpoint: 'https://models.example' };
const MODEL = 'claude-opus-5-5';
const OTHER = 'claude-haiku-5-5';
const OPEN: ProviderKeyState = { parked: null, pauses: [] };
const pauseOf = (id: string, leftMs: number): ProviderKeyState => ({
  parked: null,
  pauses: [{ model: MODEL, id, leftMs, errorClass: 'rate_limit' }],
});
const PARKED: ProviderKeyState = {
  parked: { errorClass: 'billing', message: 'No credit.' },
  pauses: [],
};

/** A row whose answers the test gives, and a clock that it moves. */
class Row {
  clock = 1_000;
  state: ProviderKeyState = OPEN;
  broken = false;
  readonly writes: unknown[] = [];
  /** While set, reads answer only when it resolves, with what the row was when they began. */
  held: Promise<void> | null = null;

  readonly keys: SharedGateOptions['keys'] = {
    register: () => Promise.resolve(this.state),
    read: async () => {
      const { state, held } = this;
      await held;
      if (this.broken) throw new Error('no database');
      return state;
    },
    pause: (_key, model, forMs, errorClass) => {
      if (this.broken) return Promise.reject(new Error('no database'));
      this.writes.push(['pause', forMs, errorClass]);
      const pause = { model, id: `pause ${this.writes.length}`, leftMs: forMs, errorClass };
      this.state = {
        ...this.state,
        pauses: [...this.state.pauses.filter((one) => one.model !== model), pause],
      };
      return Promise.resolve(this.state);
    },
    park: (_key, errorClass, message) => {
      if (this.broken) return Promise.reject(new Error('no database'));
      this.writes.push(['park', errorClass, message]);
      this.state = { ...this.state, parked: { errorClass, message } };
      return Promise.resolve(this.state);
    },
  };

  async gate(): Promise<SharedGate> {
    const gate = new SharedGate({ key: KEY, keys: this.keys, logger: silentLogger(), now: () => this.clock });
    await gate.start();
    return gate;
  }
}

/** How many calls go out when everybody asks. */
function opened(gate: SharedGate, model = MODEL): number {
  let calls = 0;
  while (calls < 1_000 && gate.look(model).kind === 'open') calls += 1;
  return calls;
}

describe('the gate of a worker', () => {
  it('is closed at once for what this worker hears, and stores it', async () => {
    const row = new Row();
    const gate = await row.gate();
    const stored = gate.pause(MODEL, 5_000, 'rate_limit');
    expect(gate.look(MODEL)).toEqual({ kind: 'paused', forMs: 5_000, errorClass: 'rate_limit' });
    await stored;
    const parking = gate.park('authentication', 'invalid x-api-key');
    const parked = { kind: 'parked', errorClass: 'authentication', message: 'invalid x-api-key' };
    expect(gate.look(MODEL)).toEqual(parked);
    await parking;
    expect(gate.look(MODEL)).toEqual(parked);
    expect(row.writes).toEqual([
      ['pause', 5_000, 'rate_limit'],
      ['park', 'authentication', 'invalid x-api-key'],
    ]);
    await gate.close();
  });

  it('stores one pause for many calls that are refused together, and a longer one again', async () => {
    const row = new Row();
    const gate = await row.gate();
    await Promise.all([
      gate.pause(MODEL, 5_000, 'rate_limit'),
      gate.pause(MODEL, 5_000, 'rate_limit'),
      gate.pause(MODEL, 1, 'overload'),
    ]);
    await gate.pause(MODEL, 9_000, 'overload');
    await Promise.all([gate.park('billing', 'A'), gate.park('billing', 'B')]);
    expect(row.writes).toEqual([
      ['pause', 5_000, 'rate_limit'],
      ['pause', 9_000, 'overload'],
      ['park', 'billing', 'A'],
    ]);
    await gate.close();
  });

  it('counts what is left of a pause by its own steady clock', async () => {
    const row = new Row();
    row.state = pauseOf('theirs', 3_000);
    const gate = await row.gate();
    row.clock += 2_999;
    expect(gate.look(MODEL)).toMatchObject({ kind: 'paused', forMs: 1 });
    row.clock += 1;
    expect(gate.look(MODEL)).toEqual({ kind: 'open' });
    await gate.close();
  });

  it('lets calls back gradually after a pause, and starts anew when there is another', async () => {
    const row = new Row();
    const gate = await row.gate();
    await gate.pause(MODEL, 1_000, 'rate_limit');
    row.clock += 1_000;
    expect(opened(gate)).toBe(2);
    expect(gate.look(MODEL)).toEqual({ kind: 'ramping', forMs: 1_000 });
    row.clock += 1_000;
    // Reading the same row again changes nothing.
    row.state = pauseOf('pause 1', -1_000);
    await gate.refresh();
    expect(opened(gate)).toBe(2);
    row.clock += 1_000;
    expect(opened(gate)).toBe(4);
    await gate.pause(MODEL, 1_000, 'rate_limit');
    row.clock += 1_000;
    expect(opened(gate)).toBe(2);
    row.clock += 6_000;
    expect(opened(gate)).toBe(1_000);
    await gate.close();
  });

  it('lets calls of other models go on during the pause of one', async () => {
    const row = new Row();
    const gate = await row.gate();
    await gate.pause(MODEL, 5_000, 'rate_limit');
    expect(gate.look(OTHER)).toEqual({ kind: 'open' });
    await gate.pause(OTHER, 1_000, 'overload');
    row.clock += 1_000;
    expect(gate.look(MODEL)).toMatchObject({ kind: 'paused', forMs: 4_000 });
    expect(opened(gate, OTHER)).toBe(2);
    await gate.refresh();
    expect(gate.look(MODEL)).toMatchObject({ kind: 'paused', forMs: 4_000 });
    await gate.close();
  });

  it('lets calls of all models back together, and gradually, when the key is resumed', async () => {
    const row = new Row();
    row.state = PARKED;
    const gate = await row.gate();
    expect(gate.look(OTHER)).toMatchObject({ kind: 'parked' });
    row.state = OPEN;
    await gate.refresh();
    expect(opened(gate, OTHER) + opened(gate, MODEL)).toBe(2);
    await gate.close();
  });

  it('hears of a park and of its end from the row, and lets calls back gradually then, too', async () => {
    const row = new Row();
    const gate = await row.gate();
    expect(opened(gate)).toBe(1_000);
    row.state = PARKED;
    await gate.refresh();
    expect(gate.look(MODEL)).toEqual({ kind: 'parked', errorClass: 'billing', message: 'No credit.' });
    row.state = OPEN;
    await gate.refresh();
    expect(opened(gate)).toBe(2);
    await gate.close();
  });

  it('ends a pause that somebody ended in the row', async () => {
    const row = new Row();
    const gate = await row.gate();
    await gate.pause(MODEL, 600_000, 'rate_limit');
    row.state = OPEN;
    await gate.refresh();
    expect(opened(gate)).toBe(2);
    await gate.close();
  });

  it('does not forget what it has just heard because of a read that began before', async () => {
    const row = new Row();
    const gate = await row.gate();
    let answer: () => void = () => undefined;
    row.held = new Promise((resolve) => (answer = resolve));
    const reading = gate.refresh();
    await Promise.resolve();
    const parking = gate.park('billing', 'No credit.');
    row.held = null;
    answer();
    await reading;
    expect(gate.look(MODEL)).toMatchObject({ kind: 'parked' });
    await parking;
    await gate.refresh();
    expect(gate.look(MODEL)).toMatchObject({ kind: 'parked' });
    await gate.close();
  });

  it('stays closed and stores it later when the database is away', async () => {
    const row = new Row();
    const gate = await row.gate();
    row.broken = true;
    await gate.park('billing', 'No credit.');
    await gate.pause(MODEL, 10_000, 'rate_limit');
    await gate.refresh();
    expect(gate.look(MODEL)).toMatchObject({ kind: 'parked' });
    row.broken = false;
    row.clock += 4_000;
    await gate.refresh();
    // Of the pause only the rest is stored.
    expect(row.writes).toEqual([
      ['park', 'billing', 'No credit.'],
      ['pause', 6_000, 'rate_limit'],
    ]);
    await gate.close();
  });
});

describe('the gates of several workers on one database', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let bus: EventBus;
  let keys: ProviderKeys;
  const gates: SharedGate[] = [];
  const mine = providerKeyOf('https://models.example', 'mine');
  const other = providerKeyOf('https://models.example', 'other');

  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 4, applicationName: 'provider-gate-spec' });
    bus = openEventBus({ kind: 'postgres', databaseUrl: database.url }, silentLogger());
    keys = new ProviderKeys({
      pool,
      onCommitted: () => undefined,
      onChanged: (key) => bus.publish({ kind: 'provider', key }),
    });
    await bus.subscribe((message) => {
      for (const gate of gates)
        if (message.kind === 'provider' && message.key === gate.key) void gate.refresh();
    });
    for (const key of [mine, mine, other]) {
      const gate = new SharedGate({ key, keys, logger: silentLogger() });
      await gate.start();
      gates.push(gate);
    }
  });
  afterAll(async () => {
    await Promise.all(gates.map((gate) => gate.close()));
    await Promise.all([bus.close(), pool.end()]);
    await database.drop();
  });
  const kinds = () => gates.map((gate) => gate.look(MODEL).kind);

  it('close and open together for one key, and leave another alone', async () => {
    await gates[0]?.park('billing', 'No credit.');
    await waitFor(() => kinds()[1] === 'parked', { what: 'the second gate to hear of the park' });
    expect(kinds()).toEqual(['parked', 'parked', 'open']);
    const late = new SharedGate({ key: mine, keys, logger: silentLogger() });
    await late.start();
    expect(late.look(MODEL)).toEqual({ kind: 'parked', errorClass: 'billing', message: 'No credit.' });
    await late.close();

    await keys.resume(mine.id);
    await waitFor(() => kinds().every((kind) => kind !== 'parked'), { what: 'all gates to hear of the end' });

    await gates[1]?.pause(MODEL, 60_000, 'rate_limit');
    await waitFor(() => kinds()[0] === 'paused', { what: 'the first gate to hear of the pause' });
    expect(kinds()).toEqual(['paused', 'paused', 'open']);
    expect(gates[0]?.look(MODEL)).toMatchObject({ errorClass: 'rate_limit' });
    expect((gates[0]?.look(MODEL) as { forMs: number }).forMs).toBeGreaterThan(50_000);
  });

  it('hear of it from the row, too, when no message comes', async () => {
    const quiet = new ProviderKeys({ pool, onCommitted: () => undefined, onChanged: () => undefined });
    await quiet.resume(mine.id);
    await waitFor(() => kinds().every((kind) => kind !== 'paused'), { what: 'the next look at the row' });
  });
});
