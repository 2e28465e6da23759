/** All probes. */
import type { Attack } from '../attack.js';
import { bombs } from './bombs.js';
import { kernel } from './kernel.js';
import { networks } from './network.js';
import { places } from './places.js';
import { repositories } from './repositories.js';
import { secrets } from './secrets.js';

export const probes: readonly Attack[] = [
  ...secrets,
  ...kernel,
  ...networks,
  ...places,
  ...repositories,
  ...bombs,
];
