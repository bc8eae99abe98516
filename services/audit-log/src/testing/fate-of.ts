/** `stored`, or the name of the error: errors of a driver may come from another realm than the test's. */
export function fateOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'stored',
    (error: Error) => error.name,
  );
}
