/**
 * In a box without a network of its own: makes the proxy's socket an address that every program knows how to use. It is the node that
 * runs this worker, so it is always there, whatever the box has.
 */
import { realpathSync } from 'node:fs';

export interface Forwarder {
  /** Path outside, path in the box: to be bound read-only. */
  readonly program: readonly [source: string, destination: string];
  /**
   * For bash, in front of the command: goes on when the proxy can be reached, and ends with 126 when it can't. The forwarder is no
   * child of the command, and ends with the box.
   */
  readonly script: string;
}

/** Without a quote of its own, since it stands in quotes. */
const FORWARD = [
  'const net = require("net");',
  'const [path, port] = process.argv.slice(1);',
  'net.createServer({ allowHalfOpen: true }, (near) => {',
  'const far = net.connect({ path, allowHalfOpen: true });',
  'for (const [one, other] of [[near, far], [far, near]])',
  'one.pipe(other).on("error", () => 0), one.on("close", () => other.destroy());',
  '}).listen(port, "127.0.0.1", () => console.log("up"));',
].join(' ');

/** @param place where the box has the program and the proxy's socket */
export function forwarder(place: {
  readonly program: string;
  readonly socket: string;
  readonly port: number;
}): Forwarder {
  const { program, socket, port } = place;
  return {
    program: [realpathSync(process.execPath), program],
    script:
      `read -r _ < <( (exec ${program} -e '${FORWARD}' ${socket} ${port} 2>/dev/null &) ) || ` +
      `{ echo "Bullpen: the way to the opened hosts could not be made"; exit 126; }`,
  };
}
