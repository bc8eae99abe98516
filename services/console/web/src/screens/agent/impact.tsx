import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { DryRunAnswer } from '@countersign/contracts';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { agentWords } from '../../words/agent.js';
import { asWords } from '../../words/en.js';

/** The decisions that the draft would have changed, asked for once the typing pauses. */
export function Impact({
  impact,
  isChanged,
  isOld,
  isRefused,
}: {
  readonly impact: UseQueryResult<DryRunAnswer>;
  readonly isChanged: boolean;
  /** The draft was changed since it was asked. */
  readonly isOld: boolean;
  readonly isRefused: boolean;
}): ReactNode {
  const { impact: texts } = agentWords;
  return (
    <Card title={texts.title} lead={texts.lead}>
      {impact.error === null || !isChanged ? null : (
        <Problem what={texts.failed} error={impact.error} retry={() => void impact.refetch()} />
      )}
      {!isChanged ? (
        <p className="muted">{texts.none}</p>
      ) : isRefused ? (
        <p className="muted">{texts.refused}</p>
      ) : impact.data === undefined || isOld ? (
        impact.error === null ? (
          <p className="muted" role="status">
            {texts.busy}
          </p>
        ) : null
      ) : (
        <ImpactFigures answer={impact.data} />
      )}
    </Card>
  );
}

/** Decisions that a draft would have changed, by rule and with examples. */
export function ImpactFigures({ answer }: { readonly answer: DryRunAnswer }): ReactNode {
  const { checks, flips, notEvaluated, freezes, byRule } = answer;
  const { impact: texts } = agentWords;
  if (checks === 0) return <p role="status">{texts.noChecks}</p>;
  return (
    <div className="impact" role="status">
      <p className="sentence">{texts.sentence(flips.toDenied + flips.toAllowed, checks)}</p>
      <p className="impact-counts">
        {flips.toDenied === 0 ? null : <span className="badge bad">{texts.toDenied(flips.toDenied)}</span>}
        {flips.toAllowed === 0 ? null : <span className="badge good">{texts.toAllowed(flips.toAllowed)}</span>}
      </p>
      {byRule.map(({ rule, violation_type: violation, toDenied, toAllowed, examples }) => (
        <div className="impact-rule" key={`${rule ?? ''} ${violation ?? ''}`}>
          <p>
            <code>
              <Foreign text={rule ?? asWords(violation ?? '–')} most={200} />
            </code>{' '}
            <span className="muted">
              {[toDenied > 0 ? texts.toDenied(toDenied) : '', toAllowed > 0 ? texts.toAllowed(toAllowed) : '']
                .filter((text) => text !== '')
                .join(', ')}
            </span>
          </p>
          <ul>
            {examples.slice(0, 3).map(({ eventId, occurredAt, action }) => (
              <li key={eventId}>
                <a href={hrefOf(`/events/${eventId}`)}>
                  <Time iso={occurredAt} />
                </a>{' '}
                <span className="mono">
                  <Foreign text={lineOf(action)} most={120} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {notEvaluated.count === 0 ? null : <p className="note">{texts.notEvaluated(notEvaluated.count)}</p>}
      {freezes === 0 ? null : <p className="note">{texts.freezes(freezes)}</p>}
    </div>
  );
}

function lineOf(action: DryRunAnswer['byRule'][number]['examples'][number]['action']): string {
  if (action === null) return '–';
  const { type, url, tool_name: tool, dataScope } = action as Readonly<Record<string, unknown>>;
  return [type, tool ?? url ?? dataScope].filter((one) => typeof one === 'string').join('  ');
}
