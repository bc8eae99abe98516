import { useId } from 'react';
import type { ReactNode } from 'react';
import { useRequirement, useSecondFactor } from '../../api/second-factor.js';
import { Problem } from '../../parts/problem.js';
import { factorWords } from '../../words/second-factor.js';

/** The requirement of a second factor for each user of the account. */
export function Requirement(): ReactNode {
  const id = useId();
  const state = useSecondFactor();
  const requirement = useRequirement();
  const error = requirement.error ?? state.error;
  return (
    <>
      <p className="check">
        <input
          id={id}
          type="checkbox"
          checked={(requirement.isPending ? requirement.variables : state.data?.required) ?? false}
          disabled={state.data === undefined}
          onChange={(event) => {
            if (!requirement.isPending) requirement.mutate(event.target.checked);
          }}
        />
        <label htmlFor={id}>{factorWords.people.require}</label>
      </p>
      {error === null ? null : <Problem error={error} />}
    </>
  );
}
