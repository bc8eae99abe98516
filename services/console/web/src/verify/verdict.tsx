import type { ReactNode } from 'react';
import { Field } from '../parts/field.js';
import { Fact, Facts } from '../parts/facts.js';
import { Foreign } from '../parts/foreign.js';
import { Icon } from '../parts/icons.js';
import { Problem } from '../parts/problem.js';
import { Time } from '../parts/time.js';
import { setPreferences, usePreferences } from '../preferences.js';
import { verifyWords } from '../words/verify.js';
import type { Verification } from './use-verifier.js';
import type { Outcome } from './verifier.js';

const TONES = { holds: 'good', partly: 'held', refused: 'bad' } as const;
const SHOWN_PROBLEMS = 5;

/** The state of a verification: what is done, then the verdict, what was checked and what was not. */
export function Verdict({ verification }: { readonly verification: Verification }): ReactNode {
  const { progress, outcome, failure, readAt } = verification;
  if (failure !== null) return <Problem what={verifyWords.failed} error={failure} />;
  if (progress !== null) {
    return (
      <p className="verdict plain" role="status">
        {progress} …
      </p>
    );
  }
  return outcome === null ? null : <Shown outcome={outcome} readAt={readAt} />;
}

function Shown({ outcome, readAt }: { readonly outcome: Outcome; readonly readAt: number | null }): ReactNode {
  const { verdict, checked, notChecked, problems, problemCount, chainSource, keySource, redecision, oversight } =
    outcome;
  const [title, lead] = verifyWords.verdicts[verdict];
  return (
    <div className={`verdict ${TONES[verdict]}`} role="status">
      <p className="verdict-title">
        <Icon name={verdict === 'holds' ? 'check' : verdict === 'partly' ? 'clock' : 'close'} />
        <strong>{title}</strong>
      </p>
      <p>{lead}</p>
      {readAt === null ? null : (
        <p>
          {verifyWords.kept} <Time iso={new Date(readAt).toISOString()} zone />
        </p>
      )}
      {problems.length === 0 ? null : (
        <ul className="verdict-list">
          {problems.slice(0, SHOWN_PROBLEMS).map(({ code, path, message }) => (
            <li key={`${path} ${code}`}>
              <Foreign text={`${path === '' ? '' : `${path}: `}${message}`} most={400} />
            </li>
          ))}
          {problemCount > SHOWN_PROBLEMS ? <li>{verifyWords.more(problemCount - SHOWN_PROBLEMS)}</li> : null}
        </ul>
      )}
      {redecision === null ? null : (
        <Lines title={verifyWords.recomputed[redecision.result]} lines={redecision.summary} />
      )}
      {oversight === null ? null : <Lines title={verifyWords.oversight} lines={oversight.lines} />}
      <details className="verdict-details">
        <summary>{verifyWords.details(checked.length, notChecked.length)}</summary>
        <Lines title={verifyWords.checked} lines={checked} />
        <Lines title={verifyWords.notChecked} lines={notChecked} />
        <Facts>
          {keySource === null ? null : <Fact name={verifyWords.key}>{keySource}</Fact>}
          {chainSource === '' ? null : <Fact name={verifyWords.chain}>{chainSource}</Fact>}
        </Facts>
      </details>
    </div>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): ReactNode {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="verdict-list">
        {lines.map((line, n) => (
          <li key={n}>
            <Foreign text={line} most={400} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The node that verifications ask, kept as a setting of this browser. */
export function RpcField(): ReactNode {
  const { rpcUrl } = usePreferences();
  return (
    <Field
      label={verifyWords.rpc}
      type="url"
      placeholder="https://"
      hint={verifyWords.rpcHint}
      value={rpcUrl}
      onChange={(event) => setPreferences({ rpcUrl: event.target.value.trim() })}
    />
  );
}
