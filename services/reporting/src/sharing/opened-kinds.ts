import type { PackageContent, PackageEvent } from '@countersign/contracts';
import { COMMITMENT_KINDS, shownValue } from '@countersign/evidence';

export type OpenedKind = (typeof COMMITMENT_KINDS)[number];

/** The kinds of content that any event of a package shows, in whole or in part. @param body a stored package */
export function openedKinds(body: Uint8Array): ReadonlySet<OpenedKind> {
  const { events } = JSON.parse(Buffer.from(body).toString('utf8')) as PackageContent;
  return kindsOf(events);
}

function kindsOf(events: readonly Pick<PackageEvent, 'opened'>[]): ReadonlySet<OpenedKind> {
  const opens = (kind: OpenedKind): boolean =>
    events.some(({ opened }) => shownValue(opened[kind]).value !== undefined);
  return new Set(COMMITMENT_KINDS.filter(opens));
}
