import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { RuleMember } from '@countersign/contracts';
import type { ProfileFields } from '../../api/profile.js';
import { Choice, Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { agentWords } from '../../words/agent.js';
import { entriesOf } from './draft.js';

const LISTS = [
  'allowed_apis',
  'blocked_apis',
  'allowed_actions',
  'off_limits_actions',
  'allowed_data_scopes',
  'blocked_data_scopes',
] as const;
const FLAGS = ['freeze_on_violation', 'store_payload'] as const;

/** The fields of a profile that need no text; rules with conditions are listed, and edited as text. */
export function ProfileForm({
  draft,
  onChange,
  onText,
}: {
  readonly draft: ProfileFields;
  readonly onChange: (draft: ProfileFields) => void;
  readonly onText: () => void;
}): ReactNode {
  const set = (name: string, value: unknown): void => onChange({ ...draft, [name]: value });
  const { fields, modes, windows } = agentWords;
  const limit = draft['spending_limit'];
  const id = useId();
  return (
    <div className="profile-form">
      <Choice
        label={fields.mode}
        value={String(draft['mode'])}
        options={Object.entries(modes)}
        onChange={(mode) => set('mode', mode)}
      />
      <Field
        label={fields.spending_limit}
        type="number"
        min={0}
        step="any"
        value={typeof limit === 'number' ? limit : ''}
        onChange={(event) => set('spending_limit', event.target.value === '' ? null : Number(event.target.value))}
      />
      <Choice
        label={fields.spending_window}
        value={String(draft['spending_window'])}
        options={Object.entries(windows)}
        onChange={(window) => set('spending_window', window)}
      />
      {LISTS.map((name) => (
        <List key={name} label={fields[name]} entries={draft[name]} onChange={(entries) => set(name, entries)} />
      ))}
      <div className="flags">
        {FLAGS.map((name) => (
          <p className="check" key={name}>
            <input
              id={`${id}-${name}`}
              type="checkbox"
              checked={draft[name] === true}
              onChange={(event) => set(name, event.target.checked)}
            />
            <label htmlFor={`${id}-${name}`}>{fields[name]}</label>
          </p>
        ))}
      </div>
      <Rules draft={draft} onText={onText} />
    </div>
  );
}

function List({
  label,
  entries,
  onChange,
}: {
  readonly label: string;
  readonly entries: unknown;
  readonly onChange: (entries: readonly string[]) => void;
}): ReactNode {
  const id = useId();
  const list = Array.isArray(entries) ? entries.map(String) : [];
  // Blank lines stay while they are typed.
  const [typed, setTyped] = useState(list.join('\n'));
  const shown = entriesOf(typed).join('\n') === list.join('\n') ? typed : list.join('\n');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="input area mono"
        rows={3}
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        value={shown}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(entriesOf(event.target.value));
        }}
      />
      <p className="hint" id={`${id}-hint`}>
        {agentWords.editor.lines}
      </p>
    </div>
  );
}

/** Rules, limits and facts by their ids. */
function Rules({ draft, onText }: { readonly draft: ProfileFields; readonly onText: () => void }): ReactNode {
  const { editor } = agentWords;
  const groups = [
    [editor.rules, draft['rules']],
    [editor.limits, draft['limits']],
    [editor.facts, draft['facts']],
  ] as const;
  const shown = groups.filter(
    (group): group is [(typeof group)[0], unknown[]] => Array.isArray(group[1]) && group[1].length > 0,
  );
  return (
    <section className="rule-list" aria-label={editor.rules}>
      {shown.length === 0 ? (
        <>
          <h3>{editor.rules}</h3>
          <p className="muted">{editor.noRules}</p>
        </>
      ) : null}
      {shown.map(([title, list]) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul>
            {list.map((one, n) => (
              <li key={n}>
                <Foreign text={lineOf(one)} most={300} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      <button type="button" className="link-button" onClick={onText}>
        {editor.asText}
      </button>
    </section>
  );
}

/** A rule in one line: its id, what it does, and to which tools. */
function lineOf(value: unknown): string {
  const { id, effect, tools, types, when, reason } = (value ?? {}) as Partial<RuleMember>;
  const to = [...(tools ?? []), ...(types ?? [])].join(', ');
  const parts = [effect?.replace('_', ' '), to, when === undefined ? '' : `when ${when}`, reason];
  return `${id ?? '?'}: ${parts.filter((part) => part !== undefined && part !== '').join(' · ')}`;
}
