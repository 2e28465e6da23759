/** One of a few, or some of a few, each with a word about it. */
import { useId, type ReactNode } from 'react';

interface Option<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
}

export function Choice<Value extends string>(
  props: ChoiceProps<Value> & { value: Value | null; onChange: (value: Value) => void },
): ReactNode {
  const { label, options, value, onChange } = props;
  const name = useId();
  return (
    <div className="parts" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label className="opt" key={option.value}>
          <input
            type="radio"
            className="check round"
            name={name}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          <OptionText {...option} />
        </label>
      ))}
    </div>
  );
}

export function Choices<Value extends string>(
  props: ChoiceProps<Value> & { values: readonly Value[]; onChange: (values: Value[]) => void },
): ReactNode {
  const { label, options, values, onChange } = props;
  return (
    <div className="parts" role="group" aria-label={label}>
      {options.map((option) => (
        <label className="opt" key={option.value}>
          <input
            type="checkbox"
            className="check"
            checked={values.includes(option.value)}
            onChange={({ target }) => {
              const others = values.filter((value) => value !== option.value);
              onChange(target.checked ? [...others, option.value] : others);
            }}
          />
          <OptionText {...option} />
        </label>
      ))}
    </div>
  );
}

function OptionText({ label, hint }: Pick<Option<string>, 'label' | 'hint'>): ReactNode {
  return (
    <span>
      {label}
      {hint !== undefined && <small>{hint}</small>}
    </span>
  );
}
