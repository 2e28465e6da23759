/**
 * Shows a tree of tasks while it runs, on stderr: redrawn in place on a terminal, otherwise one line for each change. What it
 * shows is decided by pure renderers; this is only the drawing.
 */
import { isStored, type StreamItem, type TreeModel } from '@bullpen/client';
import { createLogUpdate } from 'log-update';
import type { Io } from '../io.js';
import { changeLine } from '../render/change-line.js';
import { renderTree } from '../render/tree-view.js';

export interface TreeDisplay {
  onItem(item: StreamItem): void;
  /** A line about the watching itself, such as a lost connection; null takes it away. */
  setNotice(text: string | null): void;
  /** Stands still, off the screen, while a person is asked something there. */
  hold(): void;
  release(): void;
  /** Draws the last picture and stops. Safe to call twice. */
  close(): void;
}

const FRAME_MS = 125;
/** Lines left free below the picture. */
const MARGIN_LINES = 2;

export interface DisplayOptions {
  readonly io: Io;
  readonly model: TreeModel;
  /** Shown with the totals. */
  readonly note?: string;
}

/** A tree that is drawn anew in place where the terminal can, lines for each change elsewhere. */
export function openTreeDisplay(options: DisplayOptions): TreeDisplay {
  return options.io.animate ? animatedDisplay(options) : lineDisplay(options);
}

function animatedDisplay({ io, model, note }: DisplayOptions): TreeDisplay {
  let area = io.liveArea(createLogUpdate);
  let notice: string | null = null;
  let closed = false;
  let held = false;
  const draw = (animate: boolean): void => {
    if (held) return;
    const height = Math.max(5, io.rows() - MARGIN_LINES);
    const view = { width: io.columns() - 1, height, colors: io.errColors, now: io.now(), animate, note };
    const lines = renderTree(model, view);
    area.update([...lines, ...(notice === null ? [] : [io.errColors.yellow(notice)])].join('\n'));
  };
  const timer = setInterval(() => draw(true), FRAME_MS);
  return {
    onItem: (item) => void model.apply(item),
    setNotice: (text) => (notice = text),
    hold: () => {
      if (held) return;
      draw(false);
      held = true;
      area.done();
    },
    release: () => {
      if (!held) return;
      held = false;
      area = io.liveArea(createLogUpdate);
    },
    close: () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      if (held) return;
      draw(false);
      area.done();
    },
  };
}

function lineDisplay({ io, model }: DisplayOptions): TreeDisplay {
  let notice: string | null = null;
  return {
    onItem: (item) => {
      if (!model.apply(item) || !isStored(item)) return;
      const line = changeLine(item, model, io.errColors);
      if (line !== null) io.err(line);
    },
    setNotice: (text) => {
      if (text !== null && notice === null) io.err(io.errColors.yellow(text));
      notice = text;
    },
    hold: () => undefined,
    release: () => undefined,
    close: () => undefined,
  };
}
