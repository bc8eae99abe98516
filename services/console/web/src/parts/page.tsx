import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useTitle } from '../use-title.js';
import { words } from '../words/en.js';

/** The longest time for which content is held back, ms. */
const MOST_WAIT_MS = 1000;

/** A screen that scrolls as a whole: its title, what can be done, and its content. */
export function Page({
  title,
  name = title,
  count,
  actions,
  isLoading = false,
  children,
}: {
  readonly title: ReactNode;
  /** Of the document, where the title is not a text. */
  readonly name?: ReactNode;
  /** Beside the title, announced when it changes. */
  readonly count?: string;
  readonly actions?: ReactNode;
  /** The content is shown once all that it begins with is there, or a second later: nothing is moved by what comes above it. */
  readonly isLoading?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  useTitle(typeof name === 'string' ? name : '');
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isLoading) return undefined;
    const timer = window.setTimeout(() => setLate(true), MOST_WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [isLoading]);
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <section className="page" tabIndex={0} aria-labelledby="page-title">
      <header className="screen-head">
        <h1 id="page-title">{title}</h1>
        {count === undefined ? null : (
          <p className="count muted" role="status">
            {count}
          </p>
        )}
        {actions === undefined ? null : <div className="head-actions">{actions}</div>}
      </header>
      {isLoading && !isLate ? (
        <p className="late" role="status">
          {words.loading}
        </p>
      ) : (
        children
      )}
    </section>
  );
}

/** Links between parts of a screen. */
export function Parts({
  label,
  parts,
  current,
}: {
  readonly label: string;
  /** Address and name of each. */
  readonly parts: readonly (readonly [string, string])[];
  readonly current: string;
}): ReactNode {
  return (
    <nav className="parts" aria-label={label}>
      {parts.map(([href, name]) => (
        <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** Place of a list without rows: says what would fill it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A group of facts or controls under a heading. */
export function Card({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="card">
      <header className="card-head">
        <h2>{title}</h2>
        {actions === undefined ? null : <div className="head-actions">{actions}</div>}
      </header>
      {lead === undefined ? null : <p className="lead">{lead}</p>}
      {children}
    </section>
  );
}
