/**
 * For tests whose processes or connections are killed in the middle of a transaction. Drops a database of a server that is
 * kept. One that was started for the tests alone goes with its data: the test server keeps the transactions of connections that
 * are gone for a minute, and a drop waits for them while it keeps every other database from answering.
 */
export async function dropDatabase(connection: { dropDatabase(): Promise<unknown> }): Promise<void> {
  if (process.env['COUNTERSIGN_TEST_SERVERS'] !== 'started') await connection.dropDatabase();
}
