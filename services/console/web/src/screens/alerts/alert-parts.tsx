import type { ReactNode } from 'react';
import { useOpenAlerts } from '../../api/alerts.js';
import { Parts } from '../../parts/page.js';
import { alertWords } from '../../words/alerts.js';
import { followUpWords } from '../../words/follow-ups.js';

/** Links between the inbox, the refused checks and the destinations. */
export function AlertParts({ current }: { readonly current: '' | '/refused' | '/destinations' }): ReactNode {
  const { data: open } = useOpenAlerts();
  const inbox = open === undefined || open === 0 ? alertWords.inbox : `${alertWords.inbox} (${open})`;
  return (
    <Parts
      label={alertWords.parts}
      parts={[
        ['#/alerts', inbox],
        ['#/alerts/refused', followUpWords.list.title],
        ['#/alerts/destinations', alertWords.destinations],
      ]}
      current={`#/alerts${current}`}
    />
  );
}
