import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, ProfileVersion, Role } from '@countersign/contracts';
import { useCheckedVersion } from '../../api/checked-version.js';
import { useSaveProfile } from '../../api/profile.js';
import { hrefOf } from '../../location.js';
import { Confirm } from '../../parts/confirm.js';
import { Icon } from '../../parts/icons.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';
import { comparisonOf } from './as-decided.js';
import type { CheckedVersion, Comparison } from './as-decided.js';
import { Differences } from './differences.js';
import { changesOf, fieldsOf } from './draft.js';

const { versions: texts } = agentWords;

/**
 * Two versions side by side, each with its hash computed again. One that is not what decisions were made by is red, and is
 * not restored.
 * @param version the one that can be restored
 */
export function Compare({
  agent,
  role,
  versions,
  version,
  other,
}: {
  readonly agent: AgentRecord;
  readonly role: Role;
  readonly versions: readonly ProfileVersion[];
  readonly version: number;
  readonly other: number;
}): ReactNode {
  const inForce = agent.behavior_profile;
  const listed = (number: number): readonly [ProfileVersion | undefined, string | null] => [
    versions.find((one) => one.version === number),
    versions.findLast((one) => one.version > number)?.at ?? null,
  ];
  const one = useCheckedVersion(inForce, ...listed(version));
  const against = useCheckedVersion(inForce, ...listed(other));
  const save = useSaveProfile(agent.id);
  const [isAsking, setAsking] = useState(false);
  const failed = [one, against].find(({ error }) => error !== null);
  if (failed !== undefined) {
    return <Problem what={texts.failed} error={failed.error} retry={() => void failed.refetch()} />;
  }
  if (one.data === undefined || against.data === undefined) return <p role="status">{words.loading}</p>;
  const { profile } = one.data;
  const changes = profile === null ? {} : changesOf(fieldsOf(inForce), fieldsOf(profile));
  const isTrue = comparisonOf(one.data) === 'holds';
  const mayRestore = role !== 'auditor' && isTrue && Object.keys(changes).length > 0;
  const why = role === 'auditor' ? words.needs('member', role) : isTrue ? undefined : texts.notRestored;
  return (
    <Card
      title={texts.compared(version, other)}
      actions={
        version === inForce.version ? null : (
          <button
            type="button"
            className="button"
            aria-disabled={!mayRestore}
            title={why}
            onClick={() => (mayRestore ? setAsking(true) : undefined)}
          >
            {texts.restore(version)}
          </button>
        )
      }
    >
      <div className="version-hashes">
        <Hash checked={one.data} agentId={agent.id} times={timesOf(listed(version))} />
        <Hash checked={against.data} agentId={agent.id} times={timesOf(listed(other))} />
      </div>
      <Diff one={one.data} other={against.data} isInForce={other === inForce.version} />
      {isAsking ? (
        <Confirm
          title={texts.restoreTitle(version)}
          lead={texts.restoreLead}
          action={texts.restore(version)}
          run={() => save.mutateAsync({ ...changes, version: inForce.version })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Card>
  );
}

interface Times {
  readonly from: string | null;
  readonly to: string | null;
}

const timesOf = ([listed, until]: readonly [ProfileVersion | undefined, string | null]): Times => ({
  from: listed?.at ?? null,
  to: until,
});

function Diff({
  one,
  other,
  isInForce,
}: {
  readonly one: CheckedVersion;
  readonly other: CheckedVersion;
  readonly isInForce: boolean;
}): ReactNode {
  if (one.profile === null || other.profile === null) return <p className="note">{texts.erased}</p>;
  const [mine, theirs] = [fieldsOf(one.profile), fieldsOf(other.profile)];
  const names = Object.keys(changesOf(theirs, mine));
  if (names.length === 0) return <p className="muted">{isInForce ? texts.same : texts.equal}</p>;
  return (
    <Differences
      label={texts.differs}
      columns={[texts.one(one.version), isInForce ? texts.now(other.version) : texts.one(other.version)]}
      rows={names.map((name) => ({ name, values: [mine[name], theirs[name]] }))}
    />
  );
}

const SHOWN: Readonly<Record<Comparison, readonly ['good' | 'bad' | 'plain', string]>> = {
  erased: ['plain', texts.erased],
  unstated: ['plain', texts.unstated],
  holds: ['good', texts.holds],
  differs: ['bad', texts.differsFrom],
};

/** The hash of a version as this browser computed it, and how many decisions state the same. */
function Hash({
  checked,
  agentId,
  times: { from, to },
}: {
  readonly checked: CheckedVersion;
  readonly agentId: string;
  readonly times: Times;
}): ReactNode {
  const { version, computed, recorded, decisions, checks } = checked;
  const comparison = comparisonOf(checked);
  const isTrue = comparison === 'holds';
  const [tone, text] = SHOWN[comparison];
  const others = decisions.filter(({ sha256 }) => sha256 !== computed);
  const range = from === null && to === null ? {} : { range: 'custom', from, to };
  return (
    <div className={`verdict ${tone}`} role="status">
      <p className="verdict-title">
        {tone === 'plain' ? null : <Icon name={isTrue ? 'check' : 'close'} />}
        <strong>
          {texts.one(version)}: {text}
        </strong>
      </p>
      {computed === null ? null : (
        <p>
          {texts.computed} <code className="hash">{computed}</code>
        </p>
      )}
      {isTrue || computed === null || recorded === null || recorded === computed ? null : (
        <p>
          {texts.recorded} <code className="hash">{recorded}</code>
        </p>
      )}
      {computed === null || others.length === 0 ? null : (
        <p>
          {texts.decisions(others.length)} <a href={hrefOf(`/events/${others[0]!.eventId}`)}>{others[0]!.sha256}</a>
        </p>
      )}
      <p>
        <a href={hrefOf('/events', { agent: agentId, type: 'action.checked', ...range })}>{texts.checks(checks)}</a>
        {isTrue && decisions.length > 0 ? `, ${texts.agreed(decisions.length)}` : ''}
      </p>
    </div>
  );
}
