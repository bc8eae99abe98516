import { useEffect, useRef } from 'react';
import { preferences } from './preferences.js';

/** Handlers by key: `j`, `Enter`, `?`, or a sequence of two as `g e`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const SEQUENCE_MS = 1000;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox]), textarea, select, [role=menu], [role=menuitem]'))
  );
}

/**
 * Handles keys while its component is shown: not while text is typed, and not while a dialog or menu is open. `Enter` on a link
 * or button is its own.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    let first = '';
    let firstAt = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null) return;
      if (event.key === 'Enter' && event.target instanceof Element && event.target.matches('a, button, summary'))
        return;
      if (event.key.length === 1 && !preferences().shortcuts) return;
      const pair = `${first} ${event.key}`;
      const isPair = event.timeStamp - firstAt < SEQUENCE_MS && latest.current[pair] !== undefined;
      const handler = latest.current[isPair ? pair : event.key];
      [first, firstAt] = [isPair ? '' : event.key, event.timeStamp];
      if (handler === undefined) return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
