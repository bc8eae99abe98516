import type { ReactNode } from 'react';
import type { Explanation } from '@countersign/contracts';
import { agentWords } from '../words/agent.js';
import { Foreign } from './foreign.js';

type RuleTrace = Explanation['rules'][number];

const TONES = { matched: 'bad', passed: 'good', not_applicable: 'plain' } as const;

/** Rules in the order of evaluation: those that apply, each with its clauses; the others are listed by name. */
export function Trace({ rules }: { readonly rules: readonly RuleTrace[] }): ReactNode {
  const applied = rules.filter(({ result }) => result !== 'not_applicable');
  const others = rules.filter(({ result }) => result === 'not_applicable');
  return (
    <>
      {applied.length === 0 ? null : (
        <ol className="trace" aria-label={agentWords.trace.table}>
          {applied.map((rule) => (
            <li key={rule.name}>
              <Rule rule={rule} />
            </li>
          ))}
        </ol>
      )}
      {others.length === 0 ? null : (
        <details className="raw">
          <summary>{agentWords.trace.others(others.length)}</summary>
          <dl className="facts">
            {others.map((rule) => (
              <div className="fact" key={rule.name}>
                <dt>{rule.name}</dt>
                <dd>{'because' in rule ? <Foreign text={rule.because} most={300} /> : null}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

type Violation = Extract<RuleTrace, { readonly result: 'matched' }>['violation'];

/** The change after which the action can be allowed, or what it waits for. */
function OtherForm({ violation: { patch, missing } }: { readonly violation: Violation }): ReactNode {
  if (patch !== undefined) {
    return (
      <p className="muted">
        {agentWords.trace.patch}{' '}
        <code>
          <Foreign text={JSON.stringify(patch)} most={4096} />
        </code>
      </p>
    );
  }
  if (missing === undefined) return null;
  return (
    <p className="muted">
      {agentWords.trace.missing}{' '}
      <code>
        <Foreign text={missing.join(', ')} most={1000} />
      </code>
    </p>
  );
}

function Rule({ rule }: { readonly rule: RuleTrace }): ReactNode {
  const clauses = 'clauses' in rule ? (rule.clauses ?? []) : [];
  const facts = 'facts' in rule ? (rule.facts ?? []) : [];
  return (
    <>
      <p className="trace-head">
        <span className={`badge ${TONES[rule.result]}`}>{agentWords.trace[rule.result]}</span>
        <span className="mono">
          <Foreign text={rule.name} most={200} />
        </span>
        {'mode' in rule && rule.mode === 'observe' ? <span className="note">{agentWords.editor.observe}</span> : null}
      </p>
      {'violation' in rule ? (
        <p>
          <Foreign text={rule.violation.reason} most={600} />
        </p>
      ) : null}
      {'violation' in rule ? <OtherForm violation={rule.violation} /> : null}
      {clauses.length === 0 ? null : (
        <ul className="clauses">
          {clauses.map(({ text, result }, n) => (
            <li key={n}>
              <span className={`badge ${result === true ? 'good' : result === 'error' ? 'bad' : 'plain'}`}>
                {agentWords.trace.reached[String(result) as keyof typeof agentWords.trace.reached]}
              </span>
              <code>
                <Foreign text={text} most={600} />
              </code>
            </li>
          ))}
        </ul>
      )}
      {facts.length === 0 ? null : (
        <ul className="clauses" aria-label={agentWords.trace.facts}>
          {facts.map(({ id, set }) => (
            <li key={id}>
              <span className={`badge ${set === true ? 'held' : 'plain'}`}>
                {agentWords.trace.factIs[String(set) as keyof typeof agentWords.trace.factIs]}
              </span>
              <code>
                <Foreign text={`facts.${id}`} most={100} />
              </code>
            </li>
          ))}
        </ul>
      )}
      {'would_allow' in rule && rule.would_allow !== undefined ? (
        <p className="muted">
          {agentWords.trace.wouldAllow}{' '}
          <code>
            <Foreign text={rule.would_allow} most={600} />
          </code>
        </p>
      ) : null}
    </>
  );
}
