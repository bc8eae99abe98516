import type { ReactNode } from 'react';
import type { BehaviorProfile } from '@countersign/contracts';
import { agentWords } from '../../words/agent.js';
import { fieldsOf, onto, threeWay } from './draft.js';
import { Differences } from './differences.js';
import type { Draft } from './use-draft.js';

/** Another version is in force than the one that the draft is based on: both changes, and how to go on. */
export function Conflict({
  draft: { base, fields, fault, rebase },
  inForce,
  onDone,
}: {
  readonly draft: Draft;
  readonly inForce: BehaviorProfile;
  readonly onDone: () => void;
}): ReactNode {
  const { conflict, notRead } = agentWords.editor;
  const [from, now] = [fieldsOf(base), fieldsOf(inForce)];
  const rows = threeWay(from, now, fields);
  return (
    <section className="conflict" aria-label={conflict.title}>
      <p className="offline" role="status">
        {conflict.lead(base.version, inForce.version, rows.filter(({ isConflict }) => isConflict).length)}
      </p>
      <Differences
        label={conflict.table}
        columns={[conflict.base(base.version), conflict.theirs(inForce.version), conflict.mine]}
        rows={rows.map(({ name, base: before, theirs, mine, isConflict }) => ({
          name,
          values: [before, theirs, mine],
          note: isConflict ? (
            <>
              {' '}
              <span className="badge bad">{conflict.both}</span>
            </>
          ) : null,
        }))}
      />
      <div className="editor-actions">
        <button
          type="button"
          className="button"
          // The fields are not those of a text that cannot be read.
          aria-disabled={fault !== null}
          title={fault === null ? undefined : `${notRead} ${fault}`}
          onClick={() => {
            if (fault !== null) return;
            rebase(inForce, onto(now, from, fields));
            onDone();
          }}
        >
          {conflict.apply}
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            rebase(inForce);
            onDone();
          }}
        >
          {conflict.take}
        </button>
      </div>
    </section>
  );
}
