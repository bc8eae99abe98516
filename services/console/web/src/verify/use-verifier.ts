import { useEffect, useRef, useState } from 'react';
import { readBefore } from '../api/kept-file.js';
import { preferences } from '../preferences.js';
import { verify } from './verifier.js';
import type { Outcome } from './verifier.js';

export interface Verification {
  /** The step under way; `null`: none. */
  readonly progress: string | null;
  readonly outcome: Outcome | null;
  readonly failure: unknown;
  /** When the verified file was read, ms, where the server could not be reached for it; otherwise `null`. */
  readonly readAt: number | null;
  /** Verifies what `read` gives; a later call, or leaving the screen, drops the result of an earlier one. */
  readonly start: (read: () => Promise<Blob>) => void;
}

const NOTHING = { progress: null, outcome: null, failure: null, readAt: null } as const;

/** Verifies in this browser, by the node that the reader chose. */
export function useVerifier(): Verification {
  const [state, setState] = useState<Omit<Verification, 'start'>>(NOTHING);
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
      if (own === current.current) setState({ ...NOTHING, ...next });
    };
    show({ progress: 'Reading' });
    read()
      .then(async (file) => {
        const outcome = await verify(file, preferences().rpcUrl, (progress) => show({ progress }));
        show({ outcome, readAt: readBefore(file) ?? null });
      })
      .catch((failure: unknown) => show({ failure }));
  };
  return { ...state, start };
}
