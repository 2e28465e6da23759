/** What a folder holds, looked at independently of the product: every path with its bits, and its bytes or where its link leads. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Names as Latin-1, so that each byte of them counts. Without what `skip` names. */
export function treeListing(root: string, skip: (path: string) => boolean = () => false): readonly string[] {
  const lines: string[] = [];
  const visit = (below: string): void => {
    for (const name of readdirSync(Buffer.from(`${root}/${below}`, 'latin1'), 'latin1')) {
      const path = below === '' ? name : `${below}/${name}`;
      if (skip(path)) continue;
      const place = Buffer.from(`${root}/${path}`, 'latin1');
      const stats = lstatSync(place);
      const bits = (stats.mode & 0o7777).toString(8).padStart(4, '0');
      const shown = JSON.stringify(path);
      if (stats.isDirectory()) {
        lines.push(`d ${bits} ${shown}`);
        visit(path);
      } else if (stats.isSymbolicLink()) lines.push(`l ${shown} -> ${readlinkSync(place, 'latin1')}`);
      else if (stats.isFile()) lines.push(`f ${bits} ${shown} ${digest(readFileSync(place))}`);
      else lines.push(`? ${shown}`);
    }
  };
  visit('');
  return lines.sort();
}

function digest(bytes: Buffer): string {
  return `${bytes.length} ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}
