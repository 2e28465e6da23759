/** A port that is taken. */
import { AppError } from '@bullpen/contracts';

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
