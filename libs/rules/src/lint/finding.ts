/** A part of a profile that is probably not what its author means. */
export interface LintFinding {
  /** `rules:<id>`, `facts:<id>` or `limits:<id>`. */
  readonly place: string;
  readonly kind: 'unknown_member' | 'type' | 'never_matches' | 'always_matches' | 'hidden' | 'never_read' | 'never_set';
  /** The rest of a sentence that begins with the place. */
  readonly message: string;
}
