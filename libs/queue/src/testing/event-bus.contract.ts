/** What every event bus does. Run it in a spec: `eventBusContract('Redis', connect)`. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusMessage } from '@bullpen/contracts';
import { waitFor } from '@bullpen/testing';
import type { EventBus } from '../bus.js';
import { deltaText } from '../delta-text.js';
import { aDelta, deltaMessage, rows } from './builders.js';

/** One deployment of its own; each bus stands for a process. */
export interface BusDeployment {
  bus(): EventBus;
  close(): Promise<void>;
}

export function eventBusContract(name: string, deploy: () => Promise<BusDeployment>): void {
  describe(`${name} as an event bus`, () => {
    let deployment: BusDeployment;
    const buses: EventBus[] = [];
    const bus = (): EventBus => {
      const opened = deployment.bus();
      buses.push(opened);
      return opened;
    };
    beforeEach(async () => {
      deployment = await deploy();
    });
    afterEach(async () => {
      await Promise.all(buses.splice(0).map((opened) => opened.close()));
      await deployment.close();
    });

    it('reaches every subscriber of every process, the own one included', async () => {
      const [worker, gateway] = [bus(), bus()];
      const heard: [BusMessage[], BusMessage[], BusMessage[]] = [[], [], []];
      await gateway.subscribe((message) => heard[0].push(message));
      await gateway.subscribe((message) => heard[1].push(message));
      await worker.subscribe((message) => heard[2].push(message));
      const sent: BusMessage[] = [
        rows('t1', 1),
        deltaMessage(aDelta({ text: 'ünïcode \u0000 🐂 "quoted"' })),
        { kind: 'cancel', tenantId: 'acme', rootId: 't1' },
        { kind: 'process', tenantId: 'acme', processId: 'p1' },
        { kind: 'restore', tenantId: 'acme', restoreId: 'r1' },
        { kind: 'provider', key: '0123456789abcdef' },
        { kind: 'worker', workerId: 'w1' },
      ];

      sent.forEach((message) => worker.publish(message));

      await waitFor(() => heard.every((messages) => messages.length === sent.length), {
        what: 'all heard all',
      });
      expect(heard).toEqual([sent, sent, sent]);
    });

    it('keeps the order of a task, and of its rows at least the newest', async () => {
      const [worker, gateway] = [bus(), bus()];
      const heard: BusMessage[] = [];
      await gateway.subscribe((message) => heard.push(message));

      for (let seq = 1; seq <= 50; seq += 1) worker.publish(rows('t1', seq));
      for (let offset = 0; offset < 50; offset += 1)
        worker.publish(deltaMessage(aDelta({ taskId: 't1', offset, text: 'x' })));
      for (let seq = 51; seq <= 100; seq += 1) worker.publish(rows('t1', seq));

      await waitFor(() => heard.some((message) => message.kind === 'rows' && message.seq === 100), {
        what: 'the newest row was heard',
      });
      const places = heard.map((message) => {
        if (message.kind === 'rows') return message.seq > 50 ? message.seq + 50 : message.seq;
        return message.kind === 'delta' ? message.delta.data.offset + 51 : -1;
      });
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(heard.filter((message) => message.kind === 'delta')).toHaveLength(50);
      expect(heard.findLast((message) => message.kind === 'rows' && message.seq <= 50)).toMatchObject({
        seq: 50,
      });
    });

    it('begins at the present: what was sent before is not heard', async () => {
      const [worker, witness, gateway] = [bus(), bus(), bus()];
      const witnessed: BusMessage[] = [];
      const heard: BusMessage[] = [];
      await witness.subscribe((message) => witnessed.push(message));
      worker.publish(rows('t1', 1));
      await waitFor(() => witnessed.length === 1, { what: 'the first message was sent' });

      await gateway.subscribe((message) => heard.push(message));
      worker.publish(rows('t1', 2));

      await waitFor(() => heard.length > 0, { what: 'the second message was heard' });
      expect(heard).toEqual([rows('t1', 2)]);
    });

    it('stops calling a listener that unsubscribed, and goes on with the others', async () => {
      const [worker, gateway] = [bus(), bus()];
      const gone: BusMessage[] = [];
      const heard: BusMessage[] = [];
      const unsubscribe = await gateway.subscribe((message) => gone.push(message));
      await gateway.subscribe((message) => heard.push(message));

      await unsubscribe();
      await unsubscribe();
      worker.publish(rows('t1', 1));

      await waitFor(() => heard.length === 1, { what: 'the other listener heard' });
      expect(gone).toEqual([]);
    });

    it('goes on when a listener throws', async () => {
      const [worker, gateway] = [bus(), bus()];
      const heard: BusMessage[] = [];
      await gateway.subscribe(() => {
        throw new Error('listener is broken');
      });
      await gateway.subscribe((message) => heard.push(message));

      worker.publish(rows('t1', 1));
      worker.publish(rows('t2', 1));

      await waitFor(() => heard.length === 2, { what: 'both were heard' });
    });

    it('carries a text of any length, in pieces with the right offsets', async () => {
      const [worker, gateway] = [bus(), bus()];
      const heard: BusMessage[] = [];
      await gateway.subscribe((message) => heard.push(message));
      const text = '🐂 häy "x"\n'.repeat(4_000);

      worker.publish(deltaMessage(aDelta({ offset: 7, text })));

      const received = (): string =>
        heard.map((message) => (message.kind === 'delta' ? deltaText(message.delta) : '')).join('');
      await waitFor(() => received().length >= text.length, { what: 'all text arrived' });
      expect(received()).toBe(text);
      let offset = 7;
      for (const message of heard) {
        if (message.kind !== 'delta') continue;
        expect(message.delta.data.offset).toBe(offset);
        offset += deltaText(message.delta).length;
      }
    });

    it('sends what waits when it closes, and takes nothing afterwards without a word', async () => {
      const [worker, gateway] = [bus(), bus()];
      const heard: BusMessage[] = [];
      await gateway.subscribe((message) => heard.push(message));

      worker.publish(rows('t1', 1));
      await worker.close();
      await worker.close();
      expect(() => worker.publish(rows('t1', 2))).not.toThrow();

      await waitFor(() => heard.length > 0, { what: 'the last message arrived' });
      expect(heard).toEqual([rows('t1', 1)]);
    });
  });
}
