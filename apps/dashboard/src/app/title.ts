/** The title of the tab and its icon: what is shown, and how much waits for the person, also while the tab is not looked at. */
import { useEffect } from 'react';
import icon from '../ui/favicon.svg?no-inline';

let shown = '';
let waits = 0;

/** Names what the tab shows. */
export function useTitle(text: string): void {
  useEffect(() => {
    shown = text;
    write();
  }, [text]);
}

/** Says how much waits. */
export function useWaitsInTitle(n: number): void {
  useEffect(() => {
    waits = n;
    write();
    void drawIcon(n > 0);
  }, [n]);
}

function write(): void {
  document.title = `${waits > 0 ? `(${waits}) ` : ''}${shown === '' ? '' : `${shown} · `}Bullpen`;
}

const SIZE = 32;

/** The mark, with an amber dot when something waits. */
async function drawIcon(hasDot: boolean): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const context = document.createElement('canvas').getContext('2d');
  if (link === null || context === null) return;
  if (!hasDot) {
    link.href = icon;
    return;
  }
  const { canvas } = context;
  canvas.width = SIZE;
  canvas.height = SIZE;
  const picture = new Image();
  picture.src = icon;
  await picture.decode().catch(() => undefined);
  context.drawImage(picture, 0, 0, SIZE, SIZE);
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--needs-fill');
  context.beginPath();
  context.arc(SIZE - 8, 8, 8, 0, 2 * Math.PI);
  context.fill();
  link.href = canvas.toDataURL();
}
