import { useEffect, useRef, useState } from 'react';
import type { AgentRecord, BehaviorProfile } from '@countersign/contracts';
import type { ProfileFields } from '../../api/profile.js';
import { agentWords } from '../../words/agent.js';
import { changesOf, fieldsOf, onto, readFields } from './draft.js';

export type TextFormat = 'json' | 'yaml';

/** The parts of YAML, loaded when they are first needed. */
export const policyText = () => import('./policy-text.js');

/** One draft of a profile, as fields and as text. */
export interface Draft {
  /** The version that it is based on. */
  readonly base: BehaviorProfile;
  /** As the text was last read. */
  readonly fields: ProfileFields;
  readonly text: string;
  readonly format: TextFormat;
  /** Why the text cannot be read; `null`: the fields are those of the text. */
  readonly fault: string | null;
  /** The fields that differ from `base`, as the body of a change. */
  readonly changes: ProfileFields;
  readonly isChanged: boolean;
  readonly setFields: (fields: ProfileFields) => void;
  readonly setText: (text: string) => void;
  readonly setFormat: (format: TextFormat) => Promise<void>;
  /** Bases the draft on another version. @param fields absent: those of the version */
  readonly rebase: (base: BehaviorProfile, fields?: ProfileFields) => void;
  /** Bases the draft on the version that it was saved as, with the changes since. @param sent the fields that were sent */
  readonly saved: (version: BehaviorProfile, sent: ProfileFields) => void;
  /** As the draft is when this is called: after a wait it may not be as it was rendered. */
  readonly now: () => Pick<Draft, 'fields' | 'fault'>;
}

interface Format {
  readonly name: TextFormat;
  readonly read: (text: string) => unknown;
  readonly write: (value: unknown) => string;
}

const JSON_FORMAT: Format = { name: 'json', read: JSON.parse, write: (value) => JSON.stringify(value, null, 2) };

interface State extends Pick<Draft, 'base' | 'fields' | 'text' | 'fault'> {
  readonly format: Format;
}

const written = (base: BehaviorProfile, fields: ProfileFields, format: Format): State => ({
  ...{ base, fields, format },
  text: format.write(fields),
  fault: null,
});

/** The draft of an agent's profile, which follows the version in force while nothing is changed. */
export function useDraft({ behavior_profile: inForce }: AgentRecord): Draft {
  const [state, setState] = useState(() => written(inForce, fieldsOf(inForce), JSON_FORMAT));
  const { base, fields, text, format, fault } = state;
  const changes = changesOf(fieldsOf(base), fields);
  const isChanged = fault !== null || Object.keys(changes).length > 0;
  const rebase: Draft['rebase'] = (to, other = fieldsOf(to)) =>
    setState((current) => written(to, other, current.format));
  const newest = useRef(state);
  useEffect(() => {
    newest.current = state;
  });
  useEffect(() => {
    if (!isChanged && inForce.version > base.version) rebase(inForce);
  }, [isChanged, inForce, base]);
  return {
    ...{ base, fields, text, fault, changes, isChanged, rebase },
    format: format.name,
    saved: (version, sent) =>
      setState((current) => {
        const kept = onto(fieldsOf(version), sent, current.fields);
        const isSame = Object.keys(changesOf(kept, current.fields)).length === 0;
        // A text that cannot be read, or holds the same, stays as it is typed, with the cursor in its place.
        if (current.fault !== null || isSame) return { ...current, base: version, fields: kept };
        return written(version, kept, current.format);
      }),
    now: () => newest.current,
    setFields: (next) => setState((current) => written(current.base, next, current.format)),
    setText: (next) =>
      setState((current) => {
        const read = readFields(next, current.format.read, agentWords.editor.notObject);
        const isRead = typeof read !== 'string';
        return { ...current, text: next, fields: isRead ? read : current.fields, fault: isRead ? null : read };
      }),
    setFormat: async (name) => {
      const yaml = name === 'yaml' ? await policyText() : null;
      const next = yaml === null ? JSON_FORMAT : { name, read: yaml.readYaml, write: yaml.writeYaml };
      setState((current) => (current.fault === null ? written(current.base, current.fields, next) : current));
    },
  };
}
