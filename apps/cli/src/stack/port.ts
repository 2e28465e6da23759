/** Looks at TCP ports before anything is started on them. */
import { createServer, type AddressInfo } from 'node:net';
import { AppError } from '@bullpen/contracts';

/** Whether a server could listen there now. Throws what listening throws when the reason is another than a taken port. */
export async function isPortFree(host: string, port: number): Promise<boolean> {
  return (await tryListen(host, port)) !== null;
}

/** A port that was free a moment ago. */
export async function freePort(host: string): Promise<number> {
  const port = await tryListen(host, 0);
  if (port === null) throw new AppError('port_in_use', `No free port on ${host}`);
  return port;
}

/** The error of a taken port: which port, which setting, and how to find who has it. */
export function portInUse(host: string, port: number): AppError {
  return new AppError(
    'port_in_use',
    `Port ${port} on ${host} is taken by another program.\n` +
      `See who has it:       ${whoHasPort(port)}\n` +
      `Or use another port:  PORT=${port + 1} npm start   (PORT=0 takes a free one)`,
    { details: { host, port } },
  );
}

function whoHasPort(port: number): string {
  return process.platform === 'linux' ? `ss -ltnp 'sport = :${port}'` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
}

function tryListen(host: string, port: number): Promise<number | null> {
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
