import { useId, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import type { Role } from '@countersign/contracts';
import { useSearch } from '../api/search.js';
import { go } from '../location.js';
import { Dialog } from '../parts/dialog.js';
import { Foreign } from '../parts/foreign.js';
import { Problem } from '../parts/problem.js';
import { useQuiet } from '../parts/use-quiet.js';
import { searchWords } from '../words/search.js';

/** How long typing rests before it is looked up, ms. */
const REST_MS = 200;

/** One box for all that has an id or a name: the arrows choose a result and Enter opens it. */
export function Search({ role, onClose }: { readonly role: Role; readonly onClose: () => void }): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState('');
  const text = useQuiet(typed.trim(), REST_MS);
  // Of the results of this text: those of another one begin with the first.
  const [chosen, setChosen] = useState({ text: '', at: 0 });
  const active = chosen.text === text ? chosen.at : 0;
  const { data: hits = [], error, isSuccess, refetch } = useSearch(text, role);
  const isCurrent = isSuccess && text === typed.trim();
  const open = (href: string): void => {
    onClose();
    go(href);
  };
  const onKey = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 && event.key !== 'Enter') return;
    event.preventDefault();
    if (by !== 0 && hits.length > 0) setChosen({ text, at: (active + by + hits.length) % hits.length });
    const hit = hits[active];
    if (by === 0 && isCurrent && hit !== undefined) open(hit.href);
  };
  return (
    <Dialog title={searchWords.title} onClose={onClose}>
      <div className="field search-field">
        <label htmlFor={`${id}-text`}>{searchWords.label}</label>
        <input
          id={`${id}-text`}
          className="input"
          type="text"
          role="combobox"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          autoFocus
          aria-expanded={hits.length > 0}
          aria-controls={`${id}-hits`}
          aria-activedescendant={hits.length > 0 ? `${id}-${active}` : undefined}
          aria-describedby={`${id}-hint`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={onKey}
        />
        <p className="hint" id={`${id}-hint`}>
          {searchWords.hint}
        </p>
      </div>
      {error === null ? null : <Problem what={searchWords.failed} error={error} retry={() => void refetch()} />}
      <p className={isCurrent && hits.length > 0 ? 'hidden' : 'muted'} role="status">
        {!isCurrent ? '' : hits.length === 0 ? searchWords.none : searchWords.found(hits.length)}
      </p>
      <ul id={`${id}-hits`} className="hits" role="listbox" aria-label={searchWords.results}>
        {hits.map((hit, n) => (
          <li
            key={`${hit.kind} ${hit.id}`}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === active}
            ref={n === active ? (row) => row?.scrollIntoView({ block: 'nearest' }) : undefined}
            onClick={() => open(hit.href)}
          >
            <span className="muted small">{searchWords.kinds[hit.kind]}</span>
            <Foreign text={hit.label} most={160} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
