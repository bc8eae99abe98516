import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ProfilePreview } from '@countersign/contracts';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { agentWords } from '../../words/agent.js';

export type Finding = ProfilePreview['findings'][number];

/** Findings about the draft, in the order of the profile; each leads to its place in the text. */
export function Findings({
  findings,
  current,
  preview,
  onShow,
}: {
  readonly findings: readonly Finding[];
  /** Index of the one that was shown last; `null`: none. */
  readonly current: number | null;
  readonly preview: UseQueryResult<ProfilePreview>;
  readonly onShow: (index: number) => void;
}): ReactNode {
  const { findings: texts } = agentWords.editor;
  return (
    <Card title={texts.title}>
      {preview.error === null ? null : (
        <Problem what={texts.failed} error={preview.error} retry={() => void preview.refetch()} />
      )}
      <p className="muted" role="status">
        {preview.data === undefined && findings.length === 0 ? texts.busy : texts.count(findings.length)}
      </p>
      {findings.length === 0 ? null : (
        <ol className="findings">
          {findings.map(({ kind, text }, n) => (
            <li key={n} aria-current={n === current ? 'true' : undefined}>
              <span className={`badge ${kind === 'refused' ? 'bad' : 'held'}`}>
                {kind === 'refused' ? texts.refused : texts.warning}
              </span>
              <button type="button" className="link-button" onClick={() => onShow(n)}>
                <Foreign text={text} most={400} />
              </button>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
