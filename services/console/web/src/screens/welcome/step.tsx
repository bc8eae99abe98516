import type { ReactNode } from 'react';
import { Icon } from '../../parts/icons.js';
import { welcomeWords as texts } from '../../words/welcome.js';

/** A step with its number, or a tick once what it asks for is there. */
export function Step({
  number,
  title,
  lead,
  isDone,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly lead: string;
  readonly isDone: boolean;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <section className="card">
      <header className="card-head step-title">
        <span
          className={`step-mark ${isDone ? 'done' : ''}`}
          role="img"
          aria-label={isDone ? texts.done : texts.step(number)}
        >
          {isDone ? <Icon name="check" /> : number}
        </span>
        <h2>{title}</h2>
      </header>
      <p className="lead">{lead}</p>
      {children}
    </section>
  );
}
