/** Returns a function whose calls within one tick of the event loop lead to one call of `work`, at the end of the tick. */
export function oncePerTick(work: () => void): () => void {
  let scheduled = false;
  const run = (): void => {
    scheduled = false;
    work();
  };
  return () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(run);
  };
}
