/**
 * What a program printed: its first and last lines, and between them what one asks for. All of it stands in a window that draws only
 * what is seen, however long it is.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Linked } from '../linked.js';
import { cut, linesOf, spansOf, type Span } from './terminal.js';
import './output.css';

const FIRST = 8;
const LAST = 24;
/** In px, as in `output.css`. */
const LINE_HEIGHT = 18;

interface OutputProps {
  readonly text: string;
  /** Opens all of it, with this line in view; lines count from 0. */
  readonly at?: number | undefined;
  /** It is no program's: its lines are sentences, and are broken. */
  readonly isProse?: boolean;
}

/** More of a line is drawn when one asks for it, in characters: a browser takes seconds for a line of many thousands. */
const LONGEST = 4_000;

export const Output = memo(function Output({ text, at, isProse = false }: OutputProps): ReactNode {
  const [isOpen, open] = useState(false);
  const lines = useMemo(() => linesOf(text), [text]);
  const isLong = lines.length > FIRST + LAST + 1;
  return (
    <div className="out" data-wrap={isProse || undefined}>
      {isLong && (isOpen || at !== undefined) ? (
        <AllLines lines={lines} at={at ?? 0} />
      ) : (
        <SomeLines lines={lines} isLong={isLong} onOpen={() => open(true)} />
      )}
    </div>
  );
});

function SomeLines(props: { lines: readonly string[]; isLong: boolean; onOpen: () => void }): ReactNode {
  const { lines, isLong, onOpen } = props;
  const t = useText();
  if (!isLong) return <Lines lines={lines} />;
  const end = lines.length - LAST;
  return (
    <>
      <Lines lines={lines.slice(0, FIRST)} />
      <button type="button" className="out-fold" onClick={onOpen}>
        {t('task.linesFolded', { n: end - FIRST })}
      </button>
      <Lines lines={lines.slice(end)} skipped={lines.slice(0, end)} />
    </>
  );
}

function Lines(props: { lines: readonly string[]; skipped?: readonly string[] }): ReactNode {
  const { lines, skipped } = props;
  const spans = useMemo(() => spansOf(lines, skipped), [lines, skipped]);
  return (
    <pre tabIndex={0}>
      {spans.map((line, index) => (
        <Line key={index} spans={line} />
      ))}
    </pre>
  );
}

function AllLines({ lines, at }: { lines: readonly string[]; at: number }): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 30,
    paddingStart: 8,
    paddingEnd: 8,
  });
  useEffect(() => virtualizer.scrollToIndex(at, { align: 'center' }), [virtualizer, at]);
  const shown = virtualizer.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const spans = spansOf(lines.slice(first, (shown.at(-1)?.index ?? -1) + 1), lines.slice(0, first));
  return (
    <div className="out-long" ref={scroller} tabIndex={0}>
      <pre style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ index, start }) => (
          <Line key={index} spans={spans[index - first] ?? []} top={start} isHere={index === at && at > 0} />
        ))}
      </pre>
    </div>
  );
}

function Line(props: { spans: readonly Span[]; top?: number; isHere?: boolean }): ReactNode {
  const { spans, top, isHere } = props;
  const t = useText();
  const [all, showAll] = useState(false);
  const style = top === undefined ? undefined : { transform: `translateY(${top}px)` };
  const { shown, left } = all ? { shown: spans, left: 0 } : cut(spans, LONGEST);
  return (
    <div className="out-line" style={style} data-here={isHere || undefined}>
      {shown.map((span, index) => (
        <Piece key={index} {...span} />
      ))}
      {left > 0 && (
        <button type="button" className="out-rest" onClick={() => showAll(true)}>
          {t('task.lineGoesOn', { n: left })}
        </button>
      )}
    </div>
  );
}

function Piece({ text, className, color, background }: Span): ReactNode {
  const content = <Linked text={text} />;
  if (className === '' && color === null && background === null) return content;
  const own: CSSProperties & Record<'--own', string | undefined> = {
    '--own': color ?? undefined,
    background: background ?? undefined,
  };
  return (
    <span className={color === null ? className : `${className} ansi-own`} style={own}>
      {content}
    </span>
  );
}
