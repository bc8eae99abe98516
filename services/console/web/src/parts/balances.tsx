import type { ReactNode } from 'react';
import type { Explanation } from '@countersign/contracts';
import { agentWords } from '../words/agent.js';
import { Time } from './time.js';

/** Facts that are set, or not known, and limits with what they hold now and what the action would add. */
export function Balances({
  explanation: { facts, limits },
}: {
  readonly explanation: Pick<Explanation, 'facts' | 'limits'>;
}): ReactNode {
  const { balances: texts } = agentWords.playgrounds;
  if (facts.length === 0 && limits.length === 0) return null;
  return (
    <dl className="facts" aria-label={texts.title}>
      {facts.map(({ id, set, until }) => (
        <div className="fact" key={`facts.${id}`}>
          <dt className="mono">{`facts.${id}`}</dt>
          <dd>
            {until === null ? (
              texts.factIs[set === null ? 'null' : 'false']
            ) : (
              <>
                {texts.until} <Time iso={until} />
              </>
            )}
          </dd>
        </div>
      ))}
      {limits.map(({ id, used, needs, limit, decreases_at: at }) => (
        <div className="fact" key={`limits:${id}`}>
          <dt className="mono">{`limits:${id}`}</dt>
          <dd>
            {texts.limit(used, needs, limit)}
            {at === null ? null : (
              <>
                {' '}
                {texts.decreases} <Time iso={at} />
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
