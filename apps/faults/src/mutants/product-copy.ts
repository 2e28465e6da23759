/** A throw-away copy of the compiled product, for planting a bug in. Third-party packages are links to the real ones. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '@bullpen/contracts';
import type { Mutant } from './mutant.js';

const SCOPE = '@bullpen';
/** The first judges; the others run in drills. */
const APPS = ['faults', 'gateway', 'worker', 'model-sim'];

export interface ProductCopy {
  readonly folder: string;
  /** Changes the text of one file. Throws when the text does not occur exactly once: the mutant is out of date. */
  plant(mutant: Mutant): Promise<void>;
  remove(): Promise<void>;
}

/** Copies what `root` holds in compiled form. */
export async function copyProduct(root: string): Promise<ProductCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'bullpen-mutant-'));
  const libs = await readdir(join(root, 'libs'));
  const packages = [...libs.map((name) => `libs/${name}`), ...APPS.map((name) => `apps/${name}`)];
  await Promise.all(packages.map((path) => copyPackage(root, folder, path)));
  await symlink(join(root, 'prisma'), join(folder, 'prisma'));
  await linkModules(join(root, 'node_modules'), join(folder, 'node_modules'));
  const scope = join(folder, 'node_modules', SCOPE);
  await mkdir(scope);
  for (const path of packages) await symlink(join(folder, path), join(scope, path.split('/')[1] ?? path));
  return {
    folder,
    plant: (mutant) => plant(folder, mutant),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function copyPackage(root: string, folder: string, path: string): Promise<void> {
  const entries = await readdir(join(root, path));
  if (!entries.includes('package.json')) return;
  await mkdir(join(folder, path), { recursive: true });
  await cp(join(root, path, 'package.json'), join(folder, path, 'package.json'));
  if (entries.includes('dist'))
    await cp(join(root, path, 'dist'), join(folder, path, 'dist'), {
      recursive: true,
      filter: (file) => !/\.map$/.test(file),
    });
  if (entries.includes('node_modules'))
    await symlink(join(root, path, 'node_modules'), join(folder, path, 'node_modules'));
}

async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(to);
  const names = (await readdir(from)).filter((name) => name !== SCOPE && !name.startsWith('.'));
  await Promise.all(names.map((name) => symlink(join(from, name), join(to, name))));
}

async function plant(folder: string, { id, file, find, replace }: Mutant): Promise<void> {
  const path = join(folder, file);
  const before = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AppError('config_invalid', `Mutant ${id}: there is no ${file} in ${dirname(path)}`, { cause });
  });
  const parts = before.split(find);
  if (parts.length !== 2)
    throw new AppError(
      'config_invalid',
      `Mutant ${id}: its text occurs ${parts.length - 1} times in ${file}, not once; bring it up to date`,
    );
  await writeFile(path, parts.join(replace));
}
