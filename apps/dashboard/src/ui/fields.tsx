/** Fields with their label, and a word on what to put in. */
import { useId, type ReactNode } from 'react';
import { useSubmitKey } from './use-submit-key.js';

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
}

export function TextArea(
  props: FieldProps & { code?: boolean; rows?: number; onSubmit?: () => void },
): ReactNode {
  const { label, hint, value, onChange, placeholder, code = false, rows = 3, onSubmit } = props;
  const id = useId();
  const keys = useSubmitKey(() => onSubmit?.(), 'mod');
  return (
    <div className="lab">
      <label className="l" htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className={code ? 'area mono' : 'area'}
        rows={rows}
        value={value}
        placeholder={placeholder}
        spellCheck={!code}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ target }) => onChange(target.value)}
        {...(onSubmit !== undefined && keys)}
      />
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

export function TextField(
  props: FieldProps & { before?: string; inputMode?: 'decimal' | 'numeric' | 'text'; onSubmit?: () => void },
): ReactNode {
  const { label, hint, value, onChange, placeholder, before, inputMode, onSubmit } = props;
  const id = useId();
  const keys = useSubmitKey(() => onSubmit?.());
  return (
    <div className="lab">
      <label className="l" htmlFor={id}>
        {label}
      </label>
      <span className="field">
        {before !== undefined && <span>{before}</span>}
        <input
          id={id}
          value={value}
          placeholder={placeholder}
          inputMode={inputMode}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onChange={({ target }) => onChange(target.value)}
          {...(onSubmit !== undefined && keys)}
        />
      </span>
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

export function Select<Value extends string>(props: {
  label: ReactNode;
  hint?: ReactNode;
  value: Value;
  options: readonly { readonly value: Value; readonly label: string }[];
  onChange: (value: Value) => void;
}): ReactNode {
  const { label, hint, value, options, onChange } = props;
  const id = useId();
  return (
    <div className="lab">
      <label className="l" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="field"
        value={value}
        onChange={({ target }) => onChange(target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

function Hint({ id, text }: { id: string; text: ReactNode }): ReactNode {
  return text === undefined ? null : (
    <span className="hint" id={id}>
      {text}
    </span>
  );
}
