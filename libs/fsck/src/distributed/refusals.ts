/** A server that must be asked does not answer, or what lies there is no installation. */
export class NotReadable extends Error {
  override readonly name = 'NotReadable';
}

/** Instances of a service run whose store was to be replaced: nothing was. */
export class ServiceRuns extends Error {
  override readonly name = 'ServiceRuns';
}
