import { useState } from 'react';
import type { ReactNode } from 'react';
import { words } from '../words/en.js';
import { Copy } from './problem.js';

/** The beginning of a secret. */
export function maskedSecret(text: string): string {
  return `${text.slice(0, 9)}${'•'.repeat(16)}`;
}

/** A secret that is shown once: masked until it is asked for, in the state of its dialog alone. */
export function Secret({ text, onClose }: { readonly text: string; readonly onClose: () => void }): ReactNode {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <p className="secret">
        <code>{isShown ? text : maskedSecret(text)}</code>
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? words.hide : words.show}
        </button>
        <Copy text={text} />
        <button type="button" className="button primary" onClick={onClose}>
          {words.stored}
        </button>
      </div>
    </>
  );
}
