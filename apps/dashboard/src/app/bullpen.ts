/** The client of the gateway that served this page. Its second part is loaded with the first call that needs it. */
import { firstPartOf, Transport, type BullpenClient } from '@bullpen/client';
import { noteServerTime } from './server-clock.js';

const transport = new Transport({
  baseUrl: location.origin,
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    noteServerTime(response.headers.get('date'));
    return response;
  },
});

const loadRest = () => import('./bullpen-rest.js').then(({ restOf }) => restOf(transport));
let rest: ReturnType<typeof loadRest> | null = null;

type Rest = Awaited<ReturnType<typeof loadRest>>;
type Verbs = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** All calls of the second part are promises already, so nobody notices that the first one also waits for its code. */
function later<Noun extends keyof Rest>(noun: Noun): BullpenClient[Noun] {
  const call = async (verb: string, args: unknown[]): Promise<unknown> => {
    rest ??= loadRest();
    const object = (await rest)[noun] as unknown as Verbs;
    return object[verb]?.(...args);
  };
  return new Proxy({} as BullpenClient[Noun], {
    get:
      (_object, verb) =>
      (...args: unknown[]) =>
        call(String(verb), args),
  });
}

export const bullpen: BullpenClient = {
  ...firstPartOf(transport),
  processes: later('processes'),
  checkpoints: later('checkpoints'),
  workspaces: later('workspaces'),
  attachments: later('attachments'),
  tenants: later('tenants'),
  webhooks: later('webhooks'),
  policies: later('policies'),
  bulkActions: later('bulkActions'),
  shares: later('shares'),
  views: later('views'),
  queues: later('queues'),
  workers: later('workers'),
  identity: later('identity'),
  usage: later('usage'),
  providers: later('providers'),
  modes: later('modes'),
  ids: later('ids'),
  loginLinks: later('loginLinks'),
};
