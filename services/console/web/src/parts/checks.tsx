import { useId } from 'react';
import type { ReactNode } from 'react';

/** Several of few values. */
export function Checks<T extends string>({
  legend,
  hint,
  options,
  chosen,
  onChange,
}: {
  readonly legend: string;
  readonly hint?: string;
  /** Value and text of each. */
  readonly options: readonly (readonly [T, string])[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: readonly T[]) => void;
}): ReactNode {
  const id = useId();
  const toggle = (value: T, isChosen: boolean): void =>
    onChange(options.map(([one]) => one).filter((one) => (one === value ? isChosen : chosen.includes(one))));
  return (
    <fieldset className="checks" aria-describedby={hint === undefined ? undefined : `${id}-hint`}>
      <legend>{legend}</legend>
      <div className="checks-list">
        {options.map(([value, text]) => (
          <p className="check" key={value}>
            <input
              id={`${id}-${value}`}
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={(event) => toggle(value, event.target.checked)}
            />
            <label htmlFor={`${id}-${value}`}>{text}</label>
          </p>
        ))}
      </div>
      {hint === undefined ? null : (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </fieldset>
  );
}
