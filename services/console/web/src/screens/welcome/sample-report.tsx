import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { reportPackage, useExport } from '../../api/reports.js';
import { Problem } from '../../parts/problem.js';
import { usePreferences } from '../../preferences.js';
import { useVerifier } from '../../verify/use-verifier.js';
import { Verdict } from '../../verify/verdict.js';
import { welcomeWords } from '../../words/welcome.js';
import { changedCopy } from '../reports/changed-copy.js';
import { Step } from './step.js';

const texts = welcomeWords.report;

/** The report of the sample's agents: issued, verified in this browser, and refused once it was changed. */
export function SampleReport({
  agentIds,
  since,
  isDone,
  onVerified,
}: {
  /** Those that have acted; empty: the sample has not run. */
  readonly agentIds: readonly string[];
  /** When the first was made: its profile belongs to the report, as verdicts are computed again by it. */
  readonly since: string | null;
  readonly isDone: boolean;
  readonly onVerified: () => void;
}): ReactNode {
  const issue = useExport();
  const verification = useVerifier();
  const { rpcUrl } = usePreferences();
  const [isChanged, setChanged] = useState(false);
  const id = issue.data;
  const verified = useRef(onVerified);
  useEffect(() => {
    verified.current = onVerified;
  });
  const verdict = verification.outcome?.verdict;
  useEffect(() => {
    if (verdict !== undefined && verdict !== 'refused' && !isChanged) verified.current();
  }, [verdict, isChanged]);
  const isReady = agentIds.length > 0 && since !== null;
  const start = (): void => {
    if (!isReady || issue.isPending) return;
    issue.mutate({
      format: 'json',
      frameworks: ['soc2', 'euaiact'],
      agentIds,
      from: new Date(Date.parse(since) - 1000).toISOString(),
      to: new Date(Date.now() + 1000).toISOString(),
    });
  };
  const verify = (change: boolean): void => {
    if (id === undefined) return;
    setChanged(change);
    verification.start(async () => (change ? changedCopy(await reportPackage(id)) : reportPackage(id)));
  };
  return (
    <Step number={4} title={texts.title} lead={texts.lead} isDone={isDone}>
      {issue.error === null ? null : <Problem error={issue.error} />}
      {isReady ? null : <p className="muted">{welcomeWords.waiting}</p>}
      {id === undefined ? (
        <button type="button" className="button primary" aria-disabled={!isReady || issue.isPending} onClick={start}>
          {texts.issue}
        </button>
      ) : (
        <>
          <p className="hint">
            {texts.node}: {rpcUrl === '' ? texts.noNode : <code>{rpcUrl}</code>}
          </p>
          <button type="button" className="button primary" onClick={() => verify(false)}>
            {texts.verify}
          </button>
        </>
      )}
      {issue.isPending ? (
        <p className="hint" role="status">
          {texts.busy}
        </p>
      ) : null}
      <Verdict verification={verification} />
      {id === undefined || verification.outcome === null ? null : (
        <>
          {isChanged ? <p className="hint">{texts.changed}</p> : null}
          <p className="links">
            <button type="button" className="link-button" onClick={() => verify(true)}>
              {texts.change}
            </button>
            <a href={`#/reports/${id}`}>{texts.open}</a>
          </p>
        </>
      )}
    </Step>
  );
}
