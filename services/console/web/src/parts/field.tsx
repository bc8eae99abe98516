import { useId } from 'react';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';

/** A labelled input, with a hint or what is wrong with its value. */
export function Field({
  label,
  hint,
  ...input
}: { readonly label: string; readonly hint?: string } & ComponentPropsWithoutRef<'input'>): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} className="input" aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...input} />
      {hint === undefined ? null : (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A labelled choice among few values. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  /** Value and text of each. */
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className="choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
