import { useState } from 'react';
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { ProfilePreview } from '@countersign/contracts';
import { previewOf } from '../../api/profile.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { saveFile } from '../../parts/save-file.js';
import { agentWords } from '../../words/agent.js';
import { policyFileOf } from './case-of.js';
import { changesOf, fieldsOf } from './draft.js';
import { refusalOf } from './refusal.js';
import { policyText } from './use-draft.js';
import type { Draft } from './use-draft.js';

/** Most of a policy file, bytes: as a body of the API may have. */
const MOST_BYTES = 1_000_000;

const { cases: texts } = agentWords.editor;

/** A policy file that is opened into the draft and written from it, and its test cases, run under the draft. */
export function Cases({
  agentId,
  draft,
  cases,
  onCases,
}: {
  readonly agentId: string;
  readonly draft: Draft;
  readonly cases: readonly unknown[];
  readonly onCases: (cases: readonly unknown[]) => void;
}): ReactNode {
  const [failure, setFailure] = useState<unknown>(null);
  const run = useMutation({
    mutationFn: async (asked: string) => {
      const profile = JSON.parse(asked) as Draft['changes'];
      return { asked, preview: await previewOf(agentId, { profile, cases }) };
    },
  });
  const asked = JSON.stringify(draft.changes);
  const mayRun = cases.length > 0 && draft.fault === null && !run.isPending;
  const open = async (file: File): Promise<void> => {
    if (file.size > MOST_BYTES) throw new Error(texts.tooLarge);
    const policy = policyFileOf((await policyText()).readYaml(await file.text()));
    if (policy === null) throw new Error(texts.notPolicy);
    const { profile = {}, rules } = policy;
    if (rules === undefined) {
      const { fields, fault } = draft.now();
      if (fault !== null) throw new Error(texts.meanwhile);
      draft.setFields({ ...fields, ...profile });
    } else {
      const merged = await previewOf(agentId, { profile: draft.changes, rules });
      if (merged.profile === null) throw new Error(refusalOf(merged.findings) ?? texts.notPolicy);
      const { fields, fault } = draft.now();
      // The rules were merged with the fields of the moment in which the file was chosen.
      if (fault !== null || Object.keys(changesOf(draft.fields, fields)).length > 0) throw new Error(texts.meanwhile);
      draft.setFields(fieldsOf(merged.profile));
    }
    onCases(policy.cases);
    run.reset();
  };
  const write = async (): Promise<void> => {
    const policy = { profile: draft.fields, cases };
    const isYaml = draft.format === 'yaml';
    const text = isYaml ? (await policyText()).writeYaml(policy) : `${JSON.stringify(policy, null, 2)}\n`;
    saveFile(new Blob([text], { type: 'text/plain' }), isYaml ? 'policy.yaml' : 'policy.json');
  };
  return (
    <Card title={texts.title} lead={texts.lead}>
      <Field
        label={texts.open}
        type="file"
        accept=".yaml,.yml,.json"
        disabled={draft.fault !== null}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          setFailure(null);
          if (file !== undefined) open(file).catch(setFailure);
          // The same file can be opened again after it was changed.
          target.value = '';
        }}
      />
      {failure === null ? null : <Problem what={texts.notOpened} error={failure} />}
      {run.error === null ? null : <Problem what={texts.failed} error={run.error} />}
      <p className="muted" role="status">
        {texts.count(cases.length)}
      </p>
      {run.data === undefined ? null : run.data.asked === asked ? (
        <Results preview={run.data.preview} />
      ) : (
        <p className="note">{texts.old}</p>
      )}
      <div className="editor-actions">
        <button
          type="button"
          className="button"
          aria-disabled={!mayRun}
          onClick={() => (mayRun ? run.mutate(asked) : undefined)}
        >
          {texts.run}
        </button>
        <button
          type="button"
          className="button"
          aria-disabled={draft.fault !== null}
          onClick={() => (draft.fault === null ? void write() : undefined)}
        >
          {texts.save}
        </button>
      </div>
    </Card>
  );
}

function Results({ preview: { cases, findings } }: { readonly preview: ProfilePreview }): ReactNode {
  if (cases === null) {
    return (
      <p className="note">
        <Foreign text={refusalOf(findings) ?? ''} most={400} />
      </p>
    );
  }
  const { total, failures } = cases;
  return (
    <div className={`verdict ${failures.length === 0 ? 'good' : 'bad'}`} role="status">
      <p>{texts.result(total - failures.length, failures.length)}</p>
      {failures.length === 0 ? null : (
        <ul className="verdict-list">
          {failures.map(({ text }, n) => (
            <li key={n}>
              <Foreign text={text} most={600} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
