import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { holdPlace } from '../../location.js';
import { Confirm } from '../../parts/confirm.js';
import { agentWords } from '../../words/agent.js';

/**
 * While it is shown, asks before its place is left: by a link, a key, Back, or signing out. A page that is closed or loaded
 * again is asked about by the browser.
 */
export function LeaveDialog({
  path,
}: {
  /** Of the place, with the places below it. */ readonly path: string;
}): ReactNode {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    const end = holdPlace({
      covers: (other) => other === path || other.startsWith(`${path}/`),
      ask: (way) => setLeave(() => way),
    });
    window.addEventListener('beforeunload', warn);
    return () => {
      end();
      window.removeEventListener('beforeunload', warn);
    };
  }, [path]);
  const { leaving } = agentWords.editor;
  return leave === null ? null : (
    <Confirm
      title={leaving.title}
      lead={leaving.lead}
      action={leaving.action}
      isDanger
      run={() => {
        leave();
        return Promise.resolve();
      }}
      onClose={() => setLeave(null)}
    />
  );
}
