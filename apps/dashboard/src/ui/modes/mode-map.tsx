/**
 * The machine as a picture: a column for each phase, a box for each mode, lines for the rules; those of the chosen mode stand out, and say
 * their triggers in the boxes that they lead to or come from. The boxes are links, so that it works by keyboard and is read aloud as lists;
 * on a phone the lists are all there is.
 */
import { Link } from '@tanstack/react-router';
import { Fragment, useMemo, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { BOX, mapOf, type Line, type MappedMode, type ModeMap as Layout } from './map.js';
import type { Path } from './path.js';
import './modes.css';

interface ModeMapProps {
  readonly modes: readonly MappedMode[];
  readonly chosen: string | null;
  /** The way of a task through it. */
  readonly path?: Path | undefined;
}

export function ModeMap({ modes, chosen, path }: ModeMapProps): ReactNode {
  const t = useText();
  const map = useMemo(() => mapOf(modes), [modes]);
  return (
    <div className="mode-scroll" tabIndex={0} role="group" aria-label={t('modes.map')}>
      <div className="mode-map" style={{ width: map.width, height: map.height }}>
        <Lines map={map} chosen={chosen} path={path} />
        {map.columns.map(({ phase, x, places }) => (
          <section key={phase} aria-label={t(phaseText(phase))}>
            <h2 style={{ left: x }}>{t(phaseText(phase))}</h2>
            <ul>
              {places.map((place) => (
                <li
                  key={place.mode.name}
                  style={{ left: place.x, top: place.y, width: BOX.width, height: BOX.height }}
                >
                  <ModeBox name={place.mode.name} map={map} chosen={chosen} path={path} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}

/** The title of a column. */
export function phaseText(phase: number | null) {
  return `modes.phase.${phase === 0 || phase === 1 || phase === 2 || phase === 3 ? phase : 'own'}` as const;
}

interface PartProps {
  readonly map: Layout;
  readonly chosen: string | null;
  readonly path: Path | undefined;
}

function ModeBox({ name, map, chosen, path }: PartProps & { name: string }): ReactNode {
  const t = useText();
  const isChosen = name === chosen;
  const out = map.lines.find(({ from, to }) => from === chosen && to === name);
  const back = map.lines.find(({ from, to }) => from === name && to === chosen);
  const marks = [
    ...(isChosen ? ['chosen'] : []),
    ...(path?.steps.has(name) ? ['visited'] : []),
    ...(path?.current === name ? ['current'] : []),
  ];
  return (
    <Link
      to="/modes"
      search={{ mode: name }}
      replace
      resetScroll={false}
      className={['mode-box', ...marks].join(' ')}
      aria-current={isChosen || undefined}
    >
      <span className="mode-name">
        <Broken name={name} />
      </span>
      <PathMarks steps={path?.steps.get(name) ?? []} refused={path?.refused.get(name) ?? 0} />
      {out !== undefined && !isChosen && <Triggers line={out} sign="→" says={t('modes.by')} />}
      {back !== undefined && !isChosen && <Triggers line={back} sign="←" says={t('modes.backBy')} />}
    </Link>
  );
}

/** What a task did here: the numbers of its steps, and how often it was refused. */
function PathMarks({ steps, refused }: { steps: readonly number[]; refused: number }): ReactNode {
  const t = useText();
  if (steps.length === 0 && refused === 0) return null;
  return (
    <span className="mode-marks">
      {steps.length > 0 && (
        <span className="mode-steps trunc">
          <span className="vh">{t('modes.steps')} </span>
          {steps.join(' · ')}
        </span>
      )}
      {refused > 0 && (
        <span className="mode-refused" title={t('modes.refused', { n: refused })}>
          <span aria-hidden>× {refused}</span>
          <span className="vh">{t('modes.refused', { n: refused })}</span>
        </span>
      )}
    </span>
  );
}

function Triggers({ line, sign, says }: { line: Line; sign: string; says: string }): ReactNode {
  const t = useText();
  const text = line.rules.map(({ on, priority }) => `${on} ${priority}`).join(', ');
  const conditions = line.rules.flatMap(({ when }) => (when === null ? [] : [t(`modes.when.${when}`)]));
  return (
    <span className="mode-trigger" title={[text, ...conditions].join(': ')}>
      <span aria-hidden>{sign} </span>
      <span className="vh">{says} </span>
      {text}
      {conditions.length > 0 && (
        <>
          {' '}
          <i>{t('modes.if')}</i>
        </>
      )}
    </span>
  );
}

/** A long name breaks between its words. */
function Broken({ name }: { name: string }): ReactNode {
  const [first, ...rest] = name.split('_');
  return (
    <span>
      {first}
      {rest.map((word, at) => (
        <Fragment key={at}>
          _<wbr />
          {word}
        </Fragment>
      ))}
    </span>
  );
}

/** Leads everywhere: its lines are drawn when it is chosen. */
const IDLE = 'idle';

function Lines({ map, chosen, path }: PartProps): ReactNode {
  const drawn = map.lines.flatMap((line) => {
    const look = lookOf(line, chosen, path);
    return look === null ? [] : [{ line, look }];
  });
  // What matters lies on top.
  drawn.sort((a, b) => RANK.indexOf(a.look) - RANK.indexOf(b.look));
  return (
    <svg className="mode-lines" width={map.width} height={map.height} aria-hidden>
      <defs>
        {RANK.slice(1).map((look) => (
          <marker
            key={look}
            id={`mode-${look}`}
            className={look}
            viewBox="0 0 8 8"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            refX="7"
            refY="4"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        ))}
      </defs>
      {drawn.map(({ line, look }) => (
        <path
          key={`${line.from} ${line.to}`}
          className={look}
          d={line.path}
          markerEnd={look === 'faint' ? undefined : `url(#mode-${look})`}
        />
      ))}
    </svg>
  );
}

const RANK = ['faint', 'start', 'in', 'out', 'taken'] as const;

function lookOf(
  { from, to }: Line,
  chosen: string | null,
  path: Path | undefined,
): (typeof RANK)[number] | null {
  if (path?.taken.has(`${from} ${to}`)) return 'taken';
  // The way back to idle stands in the boxes: a line from every one of them would hide the others.
  if (to === IDLE) return from === chosen ? 'out' : null;
  if (from === chosen) return from === IDLE ? 'start' : 'out';
  if (to === chosen) return 'in';
  return from === IDLE ? null : 'faint';
}
