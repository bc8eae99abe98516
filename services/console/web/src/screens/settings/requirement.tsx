import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { useRequirement, useSecondFactor } from '../../api/second-factor.js';
import { Problem } from '../../parts/problem.js';
import { factorWords } from '../../words/second-factor.js';

/** The requirement of a second factor for each user of the account. A click shows at once; clicks are sent in their order. */
export function Requirement(): ReactNode {
  const id = useId();
  const state = useSecondFactor();
  const requirement = useRequirement();
  const [chosen, setChosen] = useState<boolean>();
  const error = requirement.error ?? state.error;
  return (
    <>
      <p className="check">
        <input
          id={id}
          type="checkbox"
          checked={chosen ?? state.data?.required ?? false}
          disabled={state.data === undefined}
          onChange={(event) => {
            setChosen(event.target.checked);
            requirement.mutate(event.target.checked, { onSettled: () => setChosen(undefined) });
          }}
        />
        <label htmlFor={id}>{factorWords.people.require}</label>
      </p>
      {error === null ? null : <Problem error={error} />}
    </>
  );
}
