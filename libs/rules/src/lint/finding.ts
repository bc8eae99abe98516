/** A part of a profile that is probably not what its author means. */
export interface LintFinding {
  /** `rules:<id>`, `facts:<id>` or `limits:<id>`. */
  readonly place: string;
  /** Position of the element in its list. */
  readonly index: number;
  readonly kind:
    | 'unknown_member'
    | 'type'
    | 'never_matches'
    | 'always_matches'
    | 'patch_in_vain'
    | 'hidden'
    | 'never_read'
    | 'never_set'
    | 'costly';
  /** The member of the element, as `when` or `args.amount`; `null` for the element as a whole. */
  readonly member: string | null;
  /** Offsets in the expression, in UTF-16 units; `null` for what is no expression. */
  readonly position: { readonly start: number; readonly end: number } | null;
  /** The rest of a sentence that begins with the place. */
  readonly message: string;
  /** The text or the change that is proposed instead; `null` where nothing is known. */
  readonly proposal: string | null;
}

/** A finding about an element as a whole. */
export const wholeFinding = (
  at: Pick<LintFinding, 'place' | 'index'>,
  kind: LintFinding['kind'],
  message: string,
  proposal: string | null = null,
): LintFinding => ({ ...at, kind, member: null, position: null, message, proposal });
