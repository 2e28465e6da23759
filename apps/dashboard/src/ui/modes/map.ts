/** Where each mode stands on the map, and the lines between them: a column for each phase, so that a mode never moves. Pure. */
import type { ModeDefinition, ModeRule } from '@bullpen/contracts';

/** What the map needs of a mode. */
export type MappedMode = Pick<ModeDefinition, 'name' | 'phase' | 'rules'>;

export const BOX = { width: 164, height: 68 } as const;
const GAP = { x: 42, y: 8 } as const;
const HEAD = 28;
/** How far a line leaves its box before it turns. */
const BEND = 36;

export interface Place {
  readonly mode: MappedMode;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly from: string;
  readonly to: string;
  readonly rules: readonly ModeRule[];
  /** As SVG draws it. */
  readonly path: string;
}

export interface ModeMap {
  readonly width: number;
  readonly height: number;
  readonly columns: readonly {
    /** Null: modes of the installation. */
    readonly phase: number | null;
    readonly x: number;
    readonly places: readonly Place[];
  }[];
  /** One for each two modes, however many rules lead from the one to the other. */
  readonly lines: readonly Line[];
}

/** Lays out the machine. */
export function mapOf(modes: readonly MappedMode[]): ModeMap {
  const phases = [...new Set(modes.map(({ phase }) => phase))];
  const columns = phases.map((phase, at) => {
    const x = at * (BOX.width + GAP.x);
    const own = modes.filter((mode) => mode.phase === phase);
    return {
      phase,
      x,
      places: own.map((mode, row) => ({ mode, x, y: HEAD + row * (BOX.height + GAP.y) })),
    };
  });
  const places = new Map(columns.flatMap((column) => column.places.map((place) => [place.mode.name, place])));
  const rows = Math.max(0, ...columns.map((column) => column.places.length));
  return {
    // A line within the last column swings out at its right.
    width: columns.length * (BOX.width + GAP.x),
    height: HEAD + rows * (BOX.height + GAP.y),
    columns,
    lines: modes.flatMap((mode) => linesFrom(mode, places)),
  };
}

function linesFrom({ name, rules }: MappedMode, places: ReadonlyMap<string, Place>): readonly Line[] {
  const from = places.get(name);
  const targets = [...new Set(rules.map(({ to }) => to))];
  return targets.flatMap((target) => {
    const to = places.get(target);
    if (from === undefined || to === undefined) return [];
    const leading = rules.filter((rule) => rule.to === target);
    return [{ from: name, to: target, rules: leading, path: curve(from, to) }];
  });
}

/** Leaves at a third of the height and arrives at two thirds, so that there and back are two lines. */
function curve(from: Place, to: Place): string {
  const leaves = to.x >= from.x ? 1 : -1;
  // Within a column it goes out and comes back on the same side.
  const arrives = to.x > from.x ? -1 : 1;
  const start = sideOf(from, leaves, 1 / 3);
  const end = sideOf(to, arrives, 2 / 3);
  const bend = Math.max(BEND, Math.abs(end.x - start.x) / 2);
  const points = [
    start,
    { x: start.x + leaves * bend, y: start.y },
    { x: end.x + arrives * bend, y: end.y },
    end,
  ];
  const [first, ...rest] = points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  return `M${first}C${rest.join(' ')}`;
}

function sideOf({ x, y }: Place, side: 1 | -1, height: number): { x: number; y: number } {
  return { x: side === 1 ? x + BOX.width : x, y: y + height * BOX.height };
}
