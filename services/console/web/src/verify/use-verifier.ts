import { useEffect, useRef, useState } from 'react';
import { preferences } from '../preferences.js';
import { verify } from './verifier.js';
import type { Outcome } from './verifier.js';

export interface Verification {
  /** The step under way; `null`: none. */
  readonly progress: string | null;
  readonly outcome: Outcome | null;
  readonly failure: unknown;
  /** Verifies what `read` gives; a later call, or leaving the screen, drops the result of an earlier one. */
  readonly start: (read: () => Promise<Blob>) => void;
}

/** Verifies in this browser, by the node that the reader chose. */
export function useVerifier(): Verification {
  const [state, setState] = useState<Omit<Verification, 'start'>>({ progress: null, outcome: null, failure: null });
  const current = useRef(0);
  useEffect(
    () => () => {
      current.current += 1;
    },
    [],
  );
  const start = (read: () => Promise<Blob>): void => {
    current.current += 1;
    const own = current.current;
    const show = (next: Partial<Omit<Verification, 'start'>>): void => {
      if (own === current.current) setState({ progress: null, outcome: null, failure: null, ...next });
    };
    show({ progress: 'Reading' });
    read()
      .then((file) => verify(file, preferences().rpcUrl, (progress) => show({ progress })))
      .then(
        (outcome) => show({ outcome }),
        (failure: unknown) => show({ failure }),
      );
  };
  return { ...state, start };
}
