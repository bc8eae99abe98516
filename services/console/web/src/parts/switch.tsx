import type { ReactNode } from 'react';

/** Buttons of which one is pressed. */
export function Switch<T extends string>({
  label,
  options,
  value,
  isOff = false,
  onChange,
}: {
  readonly label: string;
  /** Value and text of each. */
  readonly options: readonly (readonly [T, string])[];
  readonly value: T;
  readonly isOff?: boolean;
  readonly onChange: (value: T) => void;
}): ReactNode {
  return (
    <div className="switch" role="group" aria-label={label}>
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          aria-disabled={isOff}
          onClick={() => (isOff ? undefined : onChange(name))}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
