import type { ReactNode } from 'react';

/** Buttons of which one is pressed. */
export function Switch<T extends string>({
  label,
  options,
  value,
  isOff = false,
  isWrapping = false,
  onChange,
}: {
  readonly label: string;
  /** Value and text of each. */
  readonly options: readonly (readonly [T, string])[];
  readonly value: T;
  readonly isOff?: boolean;
  /** Its buttons may stand in several lines. */
  readonly isWrapping?: boolean;
  readonly onChange: (value: T) => void;
}): ReactNode {
  return (
    <div className={isWrapping ? 'switch wrapping' : 'switch'} role="group" aria-label={label}>
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
