import { useState } from 'react';
import type { ReactNode } from 'react';
import { AskError } from '../api/ask.js';
import { words } from '../words/en.js';
import { Foreign } from './foreign.js';

/** A failed request: what failed, why, its id to quote, and a button that repeats it. */
export function Problem({
  what,
  error,
  retry,
}: {
  readonly what?: string;
  readonly error: unknown;
  readonly retry?: () => void;
}): ReactNode {
  const asked = error instanceof AskError ? error : null;
  const reason = asked?.message ?? (error instanceof Error ? error.message : String(error));
  return (
    <div className="problem" role="alert">
      <p className="problem-text">
        {what === undefined ? null : <strong>{what}. </strong>}
        <Foreign text={reason} />
      </p>
      {asked === null || asked.status === 0 ? null : (
        <p className="problem-more">
          {asked.status}
          {asked.requestId === null ? null : (
            <>
              {' · '}
              {words.problem.request} <code>{asked.requestId}</code> <Copy text={asked.requestId} />
            </>
          )}
        </p>
      )}
      {retry === undefined ? null : (
        <button type="button" className="button" onClick={retry}>
          {words.problem.retry}
        </button>
      )}
    </div>
  );
}

/** Copies the original of a text to the clipboard. */
export function Copy({
  text,
  label = words.problem.copy,
}: {
  readonly text: string;
  readonly label?: string;
}): ReactNode {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      window.setTimeout(() => setCopied(false), 2000);
    });
  };
  return (
    <button type="button" className="link-button" onClick={copy}>
      {copied ? words.problem.copied : label}
    </button>
  );
}
