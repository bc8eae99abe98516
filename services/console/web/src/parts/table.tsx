import type { ReactNode } from 'react';

export interface Column<T> {
  /** Unique among the columns; absent: the name is. */
  readonly id?: string;
  readonly name: string;
  /** The name is read by screen readers alone: for buttons and links. */
  readonly isUnnamed?: boolean;
  readonly isNumber?: boolean;
  readonly cell: (row: T) => ReactNode;
}

/** A table that scrolls sideways where it is wide; on narrow screens each row is a list of names and values. */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** `undefined`: being read. */
  readonly rows: readonly T[] | undefined;
  readonly keyOf: (row: T) => string;
}): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="table stacked" aria-busy={rows === undefined}>
        <thead>
          <tr>
            {columns.map(({ id, name, isUnnamed, isNumber }) => (
              <th key={id ?? name} scope="col" className={isNumber === true ? 'numbers' : undefined}>
                {isUnnamed === true ? <span className="hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === undefined
            ? Array.from({ length: 5 }, (_, n) => (
                <tr key={n} aria-hidden="true">
                  <td colSpan={columns.length}>
                    <div className="skeleton-row late" />
                  </td>
                </tr>
              ))
            : rows.map((row) => (
                <tr key={keyOf(row)}>
                  {columns.map(({ id, name, isUnnamed, isNumber, cell }) => (
                    <td
                      key={id ?? name}
                      data-name={isUnnamed === true ? undefined : name}
                      className={isUnnamed === true ? 'row-actions' : isNumber === true ? 'numbers' : undefined}
                    >
                      {cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
}
