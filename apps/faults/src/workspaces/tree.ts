/** A folder that the suite fills, and the little that it needs to do so: names as bytes, chance from a seed, git of a user. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';

/** Whole numbers below a bound, always the same ones for a seed. */
export type Chance = (below: number) => number;

export function chanceOf(seed: number): Chance {
  // Seeds beside each other are to begin differently.
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export class Tree {
  constructor(
    readonly folder: string,
    readonly chance: Chance,
  ) {}

  /** For names that are no text: each character is a byte. */
  at(name: string): Buffer {
    return Buffer.from(`${this.folder}/${name}`, 'latin1');
  }

  write(name: string, content: string | Buffer = this.words(), mode = 0o644): void {
    const above = name.lastIndexOf('/');
    if (above > 0) mkdirSync(this.at(name.slice(0, above)), { recursive: true });
    writeFileSync(this.at(name), content);
    chmodSync(this.at(name), mode);
  }

  link(name: string, target: string): void {
    this.remove(name);
    symlinkSync(target, this.at(name));
  }

  mode(name: string, mode: number): void {
    chmodSync(this.at(name), mode);
  }

  emptyFolder(name: string, mode = 0o755): void {
    mkdirSync(this.at(name), { recursive: true });
    chmodSync(this.at(name), mode);
  }

  remove(name: string): void {
    // Node's removal takes no bytes together with `recursive` on every version; these names are plain where folders go.
    rmSync(`${this.folder}/${name}`, { recursive: true, force: true });
  }

  git(...args: string[]): void {
    const identity = [
      '-c',
      'user.name=U',
      '-c',
      'user.email=u@localhost',
      '-c',
      'protocol.file.allow=always',
    ];
    execFileSync('git', [...identity, ...args], { cwd: this.folder, stdio: 'ignore' });
  }

  words(lines = 1 + this.chance(30)): string {
    return Array.from({ length: lines }, () => `word ${this.chance(1_000_000)}\n`).join('');
  }
}
