/**
 * Drops a database, unless its server was started for the tests alone. For tests that kill processes or connections in the
 * middle of a transaction: the test server keeps the transactions of closed connections for a minute, and a drop waits for
 * them and blocks every other database meanwhile.
 */
export async function dropDatabase(connection: { dropDatabase(): Promise<unknown> }): Promise<void> {
  if (process.env['COUNTERSIGN_TEST_SERVERS'] !== 'started') await connection.dropDatabase();
}
