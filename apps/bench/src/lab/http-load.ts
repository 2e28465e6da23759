/** Submits tasks over HTTP, and answers. On `node:http`, because the load shares the cores with what it measures. */
import { Agent, request } from 'node:http';

export interface Submitter {
  /** Sends a task and gives its id once the gateway has answered 201. */
  submit(body: Readonly<Record<string, unknown>>): Promise<string>;
  /** Sends any other request; resolves once it is answered 200. */
  post(path: string, body: Readonly<Record<string, unknown>>): Promise<void>;
  close(): void;
}

/** Keeps up to `clients` connections open. */
export function submitter(url: string, key: string, clients: number): Submitter {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  return {
    submit: async (body) => {
      const { status, text } = await post(agent, `${url}/v1/tasks`, key, JSON.stringify(body));
      if (status !== 201) throw new Error(`POST /v1/tasks answered ${status}: ${text}`);
      return (JSON.parse(text) as { id: string }).id;
    },
    post: async (path, body) => {
      const { status, text } = await post(agent, `${url}${path}`, key, JSON.stringify(body));
      if (status !== 200) throw new Error(`POST ${path} answered ${status}: ${text}`);
    },
    close: () => agent.destroy(),
  };
}

function post(
  agent: Agent,
  url: string,
  key: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const call = request(url, { agent, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    });
    call.once('error', reject);
    call.end(body);
  });
}
