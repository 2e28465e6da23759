/** The head of a column, with a border that can be drawn, by pointer or by arrow keys; twice clicked it is as it came. */
import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import type { Column } from './columns.js';

/** With one press of an arrow key, in px. */
const STEP = 16;

export function ColumnHead(props: {
  column: Column;
  /** The title takes the room between: columns behind it grow to the left. */
  isBehindTitle: boolean;
  onWidth: (width: number | null) => void;
}): ReactNode {
  const { column, isBehindTitle, onWidth } = props;
  const t = useText();
  const { id, text, width, isRight } = column;
  return (
    <th
      className={[`c-${id}`, isRight === true ? 'r' : ''].join(' ').trim()}
      style={width === null ? undefined : { width }}
    >
      {t(text)}
      {width !== null && (
        <Grip
          label={t('columns.width', { column: t(text) })}
          width={width}
          grows={isBehindTitle ? -1 : 1}
          onWidth={onWidth}
        />
      )}
    </th>
  );
}

function Grip(props: {
  label: string;
  width: number;
  grows: 1 | -1;
  onWidth: (width: number | null) => void;
}): ReactNode {
  const { label, width, grows, onWidth } = props;
  const held = useRef<{ x: number; width: number } | null>(null);
  const hold = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    held.current = { x: event.clientX, width };
  };
  const drag = ({ clientX }: PointerEvent): void => {
    if (held.current !== null) onWidth(held.current.width + grows * (clientX - held.current.x));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: STEP, ArrowLeft: -STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onWidth(width + grows * step);
  };
  return (
    <span
      className={grows === 1 ? 'grip at-end' : 'grip'}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      tabIndex={0}
      onPointerDown={hold}
      onPointerMove={drag}
      onPointerUp={() => void (held.current = null)}
      onPointerCancel={() => void (held.current = null)}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onWidth(null)}
    />
  );
}
