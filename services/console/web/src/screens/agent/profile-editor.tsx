import { useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { AgentRecord, Role } from '@countersign/contracts';
import { AskError } from '../../api/ask.js';
import { client } from '../../api/client.js';
import { useImpact, usePreview, useSaveProfile } from '../../api/profile.js';
import { useShortcuts } from '../../keyboard.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Switch } from '../../parts/switch.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';
import { Cases } from './cases.js';
import { Conflict } from './conflict.js';
import { Findings } from './findings.js';
import { Impact } from './impact.js';
import { ProfileForm } from './profile-form.js';
import { SafetyPackages } from './safety-packages.js';
import { policyText } from './use-draft.js';
import type { Draft } from './use-draft.js';
import { useQuiet } from '../../parts/use-quiet.js';

const TEXT_ID = 'profile-text';

/** The profile as a form and as text, both of one draft; what is found about it, and what it would have decided. */
export function ProfileEditor({
  agent,
  role,
  draft,
  cases,
  onCases,
}: {
  readonly agent: AgentRecord;
  readonly role: Role;
  readonly draft: Draft;
  /** Test cases of the policy. */
  readonly cases: readonly unknown[];
  readonly onCases: (cases: readonly unknown[]) => void;
}): ReactNode {
  // Of the two, on a narrow screen.
  const [view, setView] = useState<'form' | 'text'>('form');
  const [current, setCurrent] = useState<number | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const sent = useRef(draft.fields);
  const save = useSaveProfile(agent.id, ({ warnings: _warnings, ...profile }) => draft.saved(profile, sent.current));
  const { editor } = agentWords;
  const { base, changes, fault, isChanged, text } = draft;
  const changed = Object.keys(changes);
  const quiet = useQuiet(changes);
  const isOld = JSON.stringify(quiet) !== JSON.stringify(changes);
  const { version } = agent.behavior_profile;
  const preview = usePreview(agent.id, version, quiet);
  const isRefused = !preview.isPlaceholderData && preview.data?.profile === null;
  // A draft that is refused has no decisions.
  const isAsked = (preview.isSuccess && !preview.isPlaceholderData && !isRefused) || preview.isError;
  const impact = useImpact(agent.id, version, isAsked && Object.keys(quiet).length > 0 ? quiet : null);
  const found = preview.data?.findings ?? [];
  const findings = fault === null ? found : [{ path: [], kind: 'refused', text: `${editor.notRead} ${fault}` }];
  const maySave = role !== 'auditor';
  const isStale = isChanged && version > base.version;
  const cannotSave = !maySave || save.isPending || isStale || fault !== null || changed.length === 0;

  const submit = (): void => {
    if (cannotSave) return;
    sent.current = draft.fields;
    save.mutate(
      { ...changes, version: base.version },
      {
        onError: (error) => {
          if (!(error instanceof AskError) || error.status !== 409) return;
          void client.invalidateQueries({ queryKey: ['agent', agent.id] });
        },
      },
    );
  };
  const showText = (): void => {
    flushSync(() => setView('text'));
    area.current?.focus();
  };
  const showFinding = async (index: number): Promise<void> => {
    const finding = findings[index];
    if (finding === undefined) return;
    setCurrent(index);
    const range = finding.path.length === 0 ? null : (await policyText()).rangeIn(text, finding.path);
    showText();
    if (range !== null && area.current !== null) select(area.current, range);
  };
  const showNext = (): void => {
    if (findings.length > 0) void showFinding(((current ?? -1) + 1) % findings.length);
  };
  useShortcuts({ F8: showNext });
  const onKey = (event: KeyboardEvent): void => {
    const isSave = (event.ctrlKey || event.metaKey) && event.key === 's';
    if (!isSave && event.key !== 'F8') return;
    event.preventDefault();
    if (isSave) submit();
    else showNext();
  };
  return (
    <div className="cards" onKeyDown={onKey}>
      <Card
        title={editor.title}
        actions={
          <>
            <div className="narrow-only">
              <Switch
                label={editor.views}
                options={[
                  ['form', editor.form],
                  ['text', editor.text],
                ]}
                value={view}
                onChange={setView}
              />
            </div>
            <Switch
              label={editor.formats}
              options={[
                ['json', 'JSON'],
                ['yaml', 'YAML'],
              ]}
              value={draft.format}
              isOff={fault !== null}
              onChange={(format) => void draft.setFormat(format)}
            />
          </>
        }
      >
        <div className={`editor-body shows-${view}`}>
          <fieldset className="editor-form" disabled={fault !== null}>
            <legend className="hidden">{editor.form}</legend>
            <ProfileForm draft={draft.fields} onChange={draft.setFields} onText={showText} />
          </fieldset>
          <div className="field editor-text">
            <label htmlFor={TEXT_ID}>{editor.textLabel(draft.format)}</label>
            <textarea
              ref={area}
              id={TEXT_ID}
              className="input area tall mono"
              wrap="off"
              spellCheck={false}
              value={text}
              aria-invalid={fault !== null}
              aria-describedby={fault === null ? undefined : `${TEXT_ID}-fault`}
              onChange={(event) => draft.setText(event.target.value)}
            />
            {fault === null ? null : (
              <p className="note" id={`${TEXT_ID}-fault`} role="status">
                {editor.notRead} <Foreign text={fault} most={300} />
              </p>
            )}
          </div>
        </div>
        {save.error === null ? null : <Problem error={save.error} />}
        {isStale ? <Conflict draft={draft} inForce={agent.behavior_profile} onDone={() => save.reset()} /> : null}
        {save.data === undefined || isChanged ? null : (
          <p className="verdict good" role="status">
            {editor.saved(save.data.version)}
          </p>
        )}
        <div className="editor-actions kept-in-view">
          <p className="muted" role="status">
            {changed.length === 0 ? (
              editor.unchanged
            ) : (
              <>
                {editor.changed} <Foreign text={changed.join(', ')} most={200} />
              </>
            )}
            {findings.length === 0 ? '' : ` · ${editor.findings.some(findings.length)}`}
            {isOld || changed.length === 0 || !impact.data?.checks ? '' : ` · ${agentWords.impact.brief(impact.data)}`}
          </p>
          <button
            type="button"
            className="button"
            aria-disabled={!isChanged}
            onClick={() => (isChanged ? draft.rebase(base) : undefined)}
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
      <div className="editor">
        <Findings findings={findings} current={current} preview={preview} onShow={(index) => void showFinding(index)} />
        <Impact impact={impact} isChanged={changed.length > 0} isOld={isOld} isRefused={isRefused} />
        <SafetyPackages agentId={agent.id} version={version} draft={draft} quiet={quiet} />
        <Cases agentId={agent.id} draft={draft} cases={cases} onCases={onCases} />
      </div>
    </div>
  );
}

/** Selects a range, and scrolls to its line. */
function select(area: HTMLTextAreaElement, [begin, end]: readonly [number, number]): void {
  area.setSelectionRange(begin, end);
  const line = area.value.slice(0, begin).split('\n').length - 1;
  const height = parseFloat(window.getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, line * height - area.clientHeight / 3);
}
