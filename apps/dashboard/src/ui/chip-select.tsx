/** A filter as a chip: a choice of one, or none. */
import type { ReactNode } from 'react';

export function ChipSelect<Value extends string>(props: {
  label: string;
  value: Value | undefined;
  options: readonly { readonly value: Value; readonly label: string }[];
  onChange: (value: Value | undefined) => void;
}): ReactNode {
  const { label, value, options, onChange } = props;
  return (
    <select
      className={value === undefined ? 'chip' : 'chip on'}
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : (target.value as Value))}
    >
      <option value="">{label}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
