import { useState } from 'react';
import type { ReactNode } from 'react';
import { useMerged, useSafetyPackages } from '../../api/profile.js';
import type { ProfileFields } from '../../api/profile.js';
import { Choice } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';
import { Differences } from './differences.js';
import { changesOf, fieldsOf } from './draft.js';
import { refusalOf } from './refusal.js';
import type { Draft } from './use-draft.js';

/** A safety package as a difference to the draft, which can take it. */
export function SafetyPackages({
  agentId,
  version,
  draft,
  quiet,
}: {
  readonly agentId: string;
  /** In force. */
  readonly version: number;
  readonly draft: Draft;
  /** The changes of the draft as they were when typing last paused. */
  readonly quiet: ProfileFields;
}): ReactNode {
  const packages = useSafetyPackages();
  const [chosen, setChosen] = useState('');
  const found = packages.data?.find(({ id }) => id === chosen);
  const merged = useMerged(agentId, version, quiet, found?.rules);
  const { packages: texts } = agentWords.editor;
  const profile = merged.data?.profile ?? null;
  const fields = profile === null ? null : fieldsOf(profile);
  const changes = fields === null ? {} : changesOf(draft.fields, fields);
  const names = Object.keys(changes);
  const isOld = JSON.stringify(quiet) !== JSON.stringify(draft.changes) || draft.fault !== null;
  const mayApply = !isOld && fields !== null && names.length > 0;
  return (
    <Card title={texts.title} lead={texts.lead}>
      {packages.error === null ? null : (
        <Problem what={texts.failed} error={packages.error} retry={() => void packages.refetch()} />
      )}
      <Choice
        label={texts.choose}
        value={chosen}
        options={[['', texts.none], ...(packages.data ?? []).map(({ id, name }) => [id, name] as const)]}
        onChange={setChosen}
      />
      {found === undefined ? null : (
        <>
          <p className="muted">
            <Foreign text={found.description} most={600} />
          </p>
          {merged.error === null ? null : (
            <Problem what={texts.failed} error={merged.error} retry={() => void merged.refetch()} />
          )}
          {merged.data === undefined || isOld ? (
            merged.error === null ? (
              <p role="status">{words.loading}</p>
            ) : null
          ) : profile === null ? (
            <p className="note">
              <Foreign text={refusalOf(merged.data.findings) ?? ''} most={400} />
            </p>
          ) : names.length === 0 ? (
            <p className="muted" role="status">
              {texts.same}
            </p>
          ) : (
            <Differences
              label={texts.table}
              columns={[texts.draft, texts.merged]}
              rows={names.map((name) => ({ name, values: [draft.fields[name], changes[name]] }))}
            />
          )}
          <button
            type="button"
            className="button"
            aria-disabled={!mayApply}
            onClick={() => (mayApply ? draft.setFields(fields) : undefined)}
          >
            {texts.apply}
          </button>
        </>
      )}
    </Card>
  );
}
