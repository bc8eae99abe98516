import type { ProfilePreview } from '@countersign/contracts';

/** Why a draft is refused: the first finding that refuses it, which warnings may precede; `undefined`: there is none at all. */
export function refusalOf(findings: ProfilePreview['findings']): string | undefined {
  return (findings.find(({ kind }) => kind === 'refused') ?? findings[0])?.text;
}
