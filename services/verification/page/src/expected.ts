/** The report that the reader came for, as a link or the QR code of a PDF names it. */
export interface Expected {
  readonly reportId: string | null;
  /** SHA-256 of the package, as its member `sha256` says. */
  readonly sha256: string | null;
}

/** Reads `#report=<id>&sha256=<64 hex>`; what has another form is left out. The part after `#` is never sent to a server. */
export function expectedOf(fragment: string): Expected {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const reportId = (given.get('report') ?? '').toLowerCase();
  const sha256 = (given.get('sha256') ?? '').toLowerCase();
  return {
    reportId: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reportId) ? reportId : null,
    sha256: /^[0-9a-f]{64}$/.test(sha256) ? sha256 : null,
  };
}
