import type { Drafted, PolicyDraft } from '@countersign/policy/policy-files';
import { Document, isMap, isSeq } from 'yaml';
import type { Node } from 'yaml';

export interface DraftHead {
  readonly agentId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * The draft as the file of a policy, in YAML. A comment before each drafted list, rule and limit says on how many checks it
 * rests. Equal drafts give equal files.
 */
export function draftFile({ profile, drafted, rests }: PolicyDraft, { agentId, from, to }: DraftHead): string {
  const description = `Drafted from ${rests} allowed checks of agent ${agentId}, recorded from ${from} to ${to}. Read each rule before it is put in force.`;
  const document = new Document(
    { name: 'Draft from recorded checks', description, profile },
    { aliasDuplicateObjects: false },
  );
  for (const one of drafted) {
    const { place } = one;
    const [list, id] = place.split(':') as [string, string | undefined];
    const found = document.getIn(['profile', list], true);
    const comment = ` ${basisOf(one)}`;
    if (id === undefined) commentField(document.get('profile', true), list, comment);
    else if (isSeq(found)) {
      const element = found.items.find((item) => isMap(item) && item.get('id') === id) as Node | undefined;
      if (element !== undefined) element.commentBefore = comment;
    }
  }
  return document.toString({ lineWidth: 120 });
}

function commentField(profile: unknown, field: string, comment: string): void {
  if (!isMap(profile)) return;
  const pair = profile.items.find(({ key }) => (key as { readonly value?: unknown }).value === field);
  if (pair !== undefined) (pair.key as Node).commentBefore = comment;
}

/** On what it rests, in a sentence. */
export function basisOf({ checks, peak }: Drafted): string {
  const rests = `rests on ${checks} allowed ${checks === 1 ? 'check' : 'checks'}`;
  return peak === null ? rests : `${rests}; the most in one window was ${peak}`;
}
