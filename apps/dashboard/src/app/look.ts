/** Light or dark, roomy or dense: as chosen in this browser, or else as the system says. */
import { remembered } from './remembered.js';

export type Theme = 'light' | 'dark';
export type Density = 'compact';

export const themeChoice = remembered<Theme>('theme');
export const densityChoice = remembered<Density>('density');

/** Whether long lines of outputs are broken, or scroll sideways. */
const wrapChoice = remembered<'on'>('wrap');

export function toggleWrap(): void {
  wrapChoice.write(wrapChoice.read() === null ? 'on' : null);
  applyLook();
}

export function applyLook(): void {
  const { dataset } = document.documentElement;
  set(dataset, 'theme', themeChoice.read());
  set(dataset, 'density', densityChoice.read());
  set(dataset, 'wrap', wrapChoice.read());
}

function set(dataset: DOMStringMap, name: string, value: string | null): void {
  if (value === null) delete dataset[name];
  else dataset[name] = value;
}
