/** TCP ports, looked at before anything is started on them. */
import { createServer, type AddressInfo } from 'node:net';

const HERE = '127.0.0.1';

/** A port that was free a moment ago: `wanted` when it is, else one that the system picks. For programs that cannot choose one themselves. */
export async function freePort(wanted = 0, host = HERE): Promise<number> {
  // Whatever keeps us from the wanted one, another will do.
  const port = wanted === 0 ? null : await listenOnce(host, wanted).catch(() => null);
  return port ?? (await listenOnce(host, 0)) ?? 0;
}

/** Whether a server could listen there now. Throws what listening throws when the reason is another than a taken port. */
export async function isPortFree(host: string, port: number): Promise<boolean> {
  return (await listenOnce(host, port)) !== null;
}

/** The port that a server got; null when it is taken. */
function listenOnce(host: string, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      server.close(() => resolve(address.port));
    });
  });
}
