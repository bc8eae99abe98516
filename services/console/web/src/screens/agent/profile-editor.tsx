import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, BehaviorProfile, Role } from '@countersign/contracts';
import { AskError } from '../../api/ask.js';
import { client } from '../../api/client.js';
import { useSaveProfile } from '../../api/profile.js';
import type { ProfileFields } from '../../api/profile.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';
import { changesOf, fieldsOf, readFields } from './draft.js';
import { Impact } from './impact.js';
import { ProfileForm } from './profile-form.js';

const TEXT_ID = 'profile-text';

/** The profile as a form or as text, both of one draft, and what the draft would have decided. */
export function ProfileEditor({ agent, role }: { readonly agent: AgentRecord; readonly role: Role }): ReactNode {
  const [base, setBase] = useState<BehaviorProfile>(agent.behavior_profile);
  const [draft, setDraft] = useState<ProfileFields>(() => fieldsOf(agent.behavior_profile));
  // While it is edited as text; `null`: as a form.
  const [text, setText] = useState<string | null>(null);
  const save = useSaveProfile(agent.id);
  const { editor } = agentWords;
  const read = text === null ? draft : readFields(text, editor.notObject);
  const fault = typeof read === 'string' ? read : null;
  const changes = typeof read === 'string' ? {} : changesOf(fieldsOf(base), read);
  const changed = Object.keys(changes);
  const isChanged = changed.length > 0 || fault !== null;
  const maySave = role !== 'auditor';
  useWarningBeforeLeaving(isChanged);

  const show = (profile: BehaviorProfile): void => {
    setBase(profile);
    setDraft(fieldsOf(profile));
    setText((current) => (current === null ? null : JSON.stringify(fieldsOf(profile), null, 2)));
  };
  const isStale = save.error instanceof AskError && save.error.status === 409;
  const cannotSave = !maySave || save.isPending || isStale || fault !== null || changed.length === 0;
  const submit = (): void => {
    if (cannotSave) return;
    save.mutate(
      { ...changes, version: base.version },
      { onSuccess: ({ warnings: _warnings, ...profile }) => show(profile) },
    );
  };
  const asText = (): void => setText((current) => current ?? JSON.stringify(draft, null, 2));
  const asForm = (): void => {
    if (typeof read === 'string') return;
    setDraft(read);
    setText(null);
  };
  const rebase = async (): Promise<void> => {
    const edited = typeof read === 'string' ? draft : read;
    const mine = changesOf(fieldsOf(base), edited);
    await client.invalidateQueries({ queryKey: ['agent', agent.id] });
    const now = client.getQueryData<AgentRecord>(['agent', agent.id])?.behavior_profile ?? base;
    const merged = { ...fieldsOf(now), ...mine };
    setBase(now);
    setDraft(merged);
    setText((current) => (current === null ? null : JSON.stringify(merged, null, 2)));
    save.reset();
  };
  return (
    <div className="editor">
      <Card
        title={editor.title}
        actions={
          <div className="switch" role="group" aria-label={editor.views}>
            <button type="button" aria-pressed={text === null} aria-disabled={fault !== null} onClick={asForm}>
              {editor.form}
            </button>
            <button type="button" aria-pressed={text !== null} onClick={asText}>
              {editor.text}
            </button>
          </div>
        }
      >
        <div
          className="editor-body"
          onKeyDown={(event) => {
            if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return;
            event.preventDefault();
            submit();
          }}
        >
          {text === null ? (
            <ProfileForm draft={draft} onChange={setDraft} onText={asText} />
          ) : (
            <div className="field">
              <label htmlFor={TEXT_ID}>{editor.textLabel}</label>
              <textarea
                id={TEXT_ID}
                className="input area tall mono"
                spellCheck={false}
                value={text}
                aria-invalid={fault !== null}
                aria-describedby={fault === null ? undefined : `${TEXT_ID}-fault`}
                onChange={(event) => setText(event.target.value)}
              />
              {fault === null ? null : (
                <p className="note" id={`${TEXT_ID}-fault`} role="status">
                  {editor.notJson} <Foreign text={fault} most={300} />
                </p>
              )}
            </div>
          )}
        </div>
        {save.error === null ? null : <Problem error={save.error} />}
        {isStale ? (
          <p className="offline">
            {editor.stale}{' '}
            <button type="button" className="link-button" onClick={() => void rebase()}>
              {editor.rebase}
            </button>
          </p>
        ) : null}
        {save.data === undefined || isChanged ? null : (
          <Saved version={save.data.version} warnings={save.data.warnings} />
        )}
        <div className="editor-actions">
          <p className="muted" role="status">
            {changed.length === 0 ? editor.unchanged : editor.changed(changed)}
          </p>
          <button
            type="button"
            className="button"
            aria-disabled={!isChanged}
            onClick={() => (isChanged ? show(base) : undefined)}
          >
            {editor.discard}
          </button>
          <button
            type="button"
            className="button primary"
            aria-disabled={cannotSave}
            title={maySave ? undefined : words.needs('member', role)}
            onClick={submit}
          >
            {editor.save(base.version)}
          </button>
        </div>
      </Card>
      <Impact agentId={agent.id} changes={changed.length === 0 ? null : changes} />
    </div>
  );
}

function Saved({
  version,
  warnings = [],
}: {
  readonly version: number;
  readonly warnings: readonly string[] | undefined;
}): ReactNode {
  return (
    <div className="verdict good" role="status">
      <p>{agentWords.editor.saved(version)}</p>
      {warnings.length === 0 ? null : (
        <>
          <p>
            <strong>{agentWords.editor.warnings}</strong>
          </p>
          <ul className="verdict-list">
            {warnings.map((warning) => (
              <li key={warning}>
                <Foreign text={warning} most={400} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Has the browser ask before a page with changes is closed or loaded again. */
function useWarningBeforeLeaving(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isChanged]);
}
