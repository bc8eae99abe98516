import type { ReactNode } from 'react';
import type { AgentCompleteness } from '@countersign/contracts';
import { healthWords } from '../../words/health.js';

const WIDTH = 240;
/** A gap of one number among many stays visible. */
const LEAST = 2;

/** The numbers of an agent's events as a line: how far they are anchored, and where any are missing. */
export function Strip({ of }: { readonly of: AgentCompleteness }): ReactNode {
  const { first, last, anchoredThrough, breaks } = of;
  if (last === 0) return null;
  const count = last - first + 1;
  const at = (sequence: number): number => ((sequence - first) / count) * WIDTH;
  const through = Math.max(0, at(anchoredThrough + 1));
  return (
    <svg
      className="strip"
      viewBox={`0 0 ${WIDTH} 12`}
      preserveAspectRatio="none"
      role="img"
      aria-label={healthWords.stripText(first, last, anchoredThrough, breaks.length)}
    >
      <rect className="strip-stored" x={0} y={2} width={WIDTH} height={8} />
      <rect className="strip-anchored" x={0} y={2} width={through} height={8} />
      {breaks.map((gap) => (
        <rect
          key={gap.first}
          className="strip-gap"
          x={Math.min(at(gap.first), WIDTH - LEAST)}
          y={0}
          width={Math.max(LEAST, at(gap.last + 1) - at(gap.first))}
          height={12}
        />
      ))}
    </svg>
  );
}
