import type { ReactNode } from 'react';
import { Parts } from '../../parts/page.js';
import { reportWords } from '../../words/reports.js';

/** Links between the reports and the declared scope. */
export function ReportParts({ current }: { readonly current: '' | '/scope' }): ReactNode {
  return (
    <Parts
      label={reportWords.parts}
      parts={[
        ['#/reports', reportWords.list],
        ['#/reports/scope', reportWords.scope],
      ]}
      current={`#/reports${current}`}
    />
  );
}
