import type { ReactNode } from 'react';
import { shownText } from '../foreign-text.js';
import { words } from '../words/en.js';

/**
 * Text that an agent, a user or another system wrote. It is shown as text, isolated from the direction of its
 * surroundings, with hidden characters made visible; copying from a title or button gives the original.
 */
export function Foreign({ text, most }: { readonly text: string; readonly most?: number }): ReactNode {
  const { text: shown, cutFrom } = shownText(text, most);
  return (
    <bdi className="foreign">
      {shown}
      {cutFrom === null ? null : <span className="muted"> … {words.event.hidden(cutFrom)}</span>}
    </bdi>
  );
}
