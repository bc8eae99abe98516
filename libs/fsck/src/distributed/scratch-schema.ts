/**
 * Tables into which the stores of the distributed profile are read, so that the checks of both profiles are the same
 * ones: named and laid out as the embedded profile has them. Their types make whole numbers integers.
 */
const POSITIONS = 'CREATE TABLE positions (topic TEXT, partition INTEGER, next INTEGER);';

export interface ScratchSchema {
  readonly tables: string;
  /** Indexes, and what follows from the rows; run when they are there. */
  readonly afterwards: string;
}

export const POLICY: ScratchSchema = {
  tables: `${POSITIONS}
    CREATE TABLE agents (id TEXT PRIMARY KEY, revision INTEGER, facts TEXT);
    CREATE TABLE agent_totals (agent_id TEXT PRIMARY KEY, totals TEXT);
    CREATE TABLE account_totals (account_id TEXT, totals TEXT);
    CREATE TABLE outbox (topic TEXT, key TEXT);`,
  afterwards: '',
};
