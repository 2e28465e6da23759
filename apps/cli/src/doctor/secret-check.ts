/** Which values are masked wherever they would appear, by name; and which cannot be. */
import { plural } from '@bullpen/contracts';
import { Masker } from '@bullpen/core';
import { ownSecrets, type UpSettings } from '@bullpen/platform';
import type { Check } from './check.js';

/** Whether every secret of the settings can be masked in what tasks print; one that is too short cannot. */
export function secretCheck(settings: UpSettings): Check {
  const name = 'Secrets';
  const masker = new Masker();
  const refused = masker.register(ownSecrets(settings));
  const { names } = masker;
  const masked =
    names.length === 0 ? 'none is known here' : `${plural(names.length, 'name')} masked: ${names.join(', ')}`;
  if (refused.length === 0) return { name, status: names.length === 0 ? 'info' : 'ok', proof: masked };
  const shown = refused.map((secret) => `${secret.name} (${secret.reason})`);
  return {
    name,
    status: 'warn',
    proof: `${masked}; shown as they are: ${shown.join(', ')}`,
    fix: 'give these longer values that are no words, or expect to see them',
  };
}
