import { useEffect, useState } from 'react';

/** After this time a draft is judged. */
const QUIET_MS = 400;

/** A value of JSON as it was when it last changed, once it has not changed for a moment. @param rest the moment, ms */
export function useQuiet<T>(value: T, rest = QUIET_MS): T {
  const [quiet, setQuiet] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setQuiet(JSON.parse(text) as T), rest);
    return () => window.clearTimeout(timer);
  }, [text, rest]);
  return quiet;
}
