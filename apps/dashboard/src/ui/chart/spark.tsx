/** A few bars, without axes; the words say how many there are in all. */
import type { ReactNode } from 'react';

const HEIGHT = 20;

export function Spark({ values, label }: { values: readonly number[]; label: string }): ReactNode {
  const most = Math.max(1, ...values);
  return (
    <span className="spark" role="img" aria-label={label} title={label}>
      {values.map((value, index) => (
        <i
          key={index}
          className={value === 0 ? 'z' : undefined}
          style={{ height: `${value === 0 ? 1 : Math.max(3, (value / most) * HEIGHT)}px` }}
        />
      ))}
    </span>
  );
}
