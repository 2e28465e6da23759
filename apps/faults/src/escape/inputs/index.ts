/** All inputs. */
import type { Attack } from '../attack.js';
import { archives } from './archives.js';
import { copies } from './copies.js';
import { links } from './links.js';
import { ownNames } from './own-names.js';
import { paths } from './paths.js';
import { races } from './races.js';
import { specialFiles } from './special-files.js';

export const inputs: readonly Attack[] = [
  ...paths,
  ...links,
  ...ownNames,
  ...specialFiles,
  ...copies,
  ...archives,
  ...races,
];
