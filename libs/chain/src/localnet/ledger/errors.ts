/** The ledger's file was not written by this program or is damaged. It is not changed: restore it, or move it away. */
export class LedgerDamaged extends Error {
  override readonly name = 'LedgerDamaged';
  readonly path: string;

  constructor(path: string, what: string, options?: { cause?: unknown }) {
    super(`The ledger ${path} is damaged: ${what}. Restore it from a backup; it has not been changed.`, options);
    this.path = path;
  }
}

/** Another network, in this process or another, has the ledger open. */
export class LedgerLocked extends Error {
  override readonly name = 'LedgerLocked';
  readonly path: string;

  constructor(path: string, options?: { cause?: unknown }) {
    super(`The ledger in ${path} is in use by another network: stop that one first.`, options);
    this.path = path;
  }
}
