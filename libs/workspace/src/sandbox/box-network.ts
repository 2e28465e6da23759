/** The way to opened hosts, as a box knows it: a socket of ours, brought to an address that every program knows how to use. */
import { forwarder } from '../network/forwarder.js';

/** Where the socket is in the box. */
export const BOX_PROXY_SOCKET = '/box/proxy';
const PORT = 3128;

export const boxForwarder = forwarder({ program: '/box/node', socket: BOX_PROXY_SOCKET, port: PORT });

/** What programs are told about it. This machine is reached without it: it is the box's own. */
export function proxyVariables(): Record<string, string> {
  const url = `http://127.0.0.1:${PORT}`;
  const own = 'localhost,127.0.0.1,::1';
  return {
    ...{ http_proxy: url, https_proxy: url, HTTP_PROXY: url, HTTPS_PROXY: url },
    ...{ no_proxy: own, NO_PROXY: own, NODE_USE_ENV_PROXY: '1' },
  };
}
