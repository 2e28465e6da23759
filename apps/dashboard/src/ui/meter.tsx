/** How much of something is used: a bar, and its words for whoever does not see it. */
import type { ReactNode } from 'react';

/** From here on it is near its end, as a share of one. */
const NEAR = 0.8;

/** `plain`: a share of something that has no end, and so no warning. */
export function Meter(props: { share: number; label: string; plain?: boolean }): ReactNode {
  const { share, label, plain = false } = props;
  const look = plain || share < NEAR ? 'own' : share > 1 ? 'over' : 'near';
  const width = `${Math.min(100, Math.max(0, share * 100)).toFixed(1)}%`;
  return (
    <span className="meter" role="img" aria-label={label} title={label}>
      <i className={look} style={{ width }} />
    </span>
  );
}
