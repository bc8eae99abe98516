import { useState } from 'react';
import type { ReactNode } from 'react';
import type { InclusionProof } from '@countersign/contracts';
import { useInclusionProof } from '../../api/one-event.js';
import { Problem } from '../../parts/problem.js';
import { number, words } from '../../words/en.js';
import { eventPageWords } from '../../words/event-page.js';
import { sidesOf } from './path-sides.js';

const { paths: texts } = eventPageWords;

/** Both paths of an anchored event: from its leaf to the root of its agent, and from that to the root of the window. */
export function ProofPath({ eventId }: { readonly eventId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const proof = useInclusionProof(eventId, isOpen);
  return (
    <details className="raw" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.title}</summary>
      {proof.error === null ? null : <Problem error={proof.error} retry={() => void proof.refetch()} />}
      {proof.data === undefined ? (
        isOpen && proof.error === null ? (
          <p className="late" role="status">
            {words.loading}
          </p>
        ) : null
      ) : (
        <Levels proof={proof.data} />
      )}
    </details>
  );
}

function Levels({ proof }: { readonly proof: InclusionProof }): ReactNode {
  if (!proof.anchored) return null;
  const { agent } = proof;
  return (
    <ol className="path">
      <Ends text={texts.leaf(number(proof.leafIndex + 1), number(proof.treeSize))} />
      <Siblings {...proof} />
      <Ends text={texts.agent} hash={agent.agentRoot} />
      <Ends text={texts.agentLeaf(number(agent.leafIndex + 1), number(agent.treeSize))} />
      <Siblings {...agent} />
      <Ends text={texts.root} hash={proof.merkleRoot} />
    </ol>
  );
}

function Siblings({
  leafIndex,
  treeSize,
  path,
}: {
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: readonly string[];
}): ReactNode {
  const sides = sidesOf(leafIndex, treeSize, path.length);
  return path.map((hash, level) => (
    <li key={level} className={`path-${sides[level]!}`}>
      <span className="muted small">{texts[sides[level]!]}</span> <code>{hash}</code>
    </li>
  ));
}

function Ends({ text, hash = null }: { readonly text: string; readonly hash?: string | null }): ReactNode {
  return (
    <li className="path-end">
      {text} {hash === null ? null : <code>{hash}</code>}
    </li>
  );
}
