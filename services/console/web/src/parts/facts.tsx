import type { ReactNode } from 'react';
import { jsonText } from '../foreign-text.js';
import { Foreign } from './foreign.js';

/** Names and values beneath each other. */
export function Facts({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="facts">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A value of JSON, indented. */
export function Code({ value }: { readonly value: unknown }): ReactNode {
  return (
    <pre className="code">
      <Foreign text={jsonText(value)} />
    </pre>
  );
}
