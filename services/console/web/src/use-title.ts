import { useEffect } from 'react';
import { words } from './words/en.js';

/** Names the document after the screen. */
export function useTitle(screen: string): void {
  useEffect(() => {
    document.title = `${screen} · ${words.product}`;
  }, [screen]);
}
