import { useEffect, useState } from 'react';

/** Quiet time after which a draft is judged. */
const QUIET_MS = 400;

/** A value of JSON as it was when it last changed, once it has not changed for a moment. */
export function useQuiet<T>(value: T): T {
  const [quiet, setQuiet] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setQuiet(JSON.parse(text) as T), QUIET_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return quiet;
}
