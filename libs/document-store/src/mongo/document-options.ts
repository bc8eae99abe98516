/** How the documents of a service in MongoDB are opened. */
export interface MongoDocumentOptions {
  /**
   * `fsck --rebuild` can rebuild the store while instances may run. Each transaction then checks that its collections are
   * still in use, and keeps a rebuild that is under way from replacing them.
   */
  readonly isRebuildable?: boolean;
  /** Ends the names of collections that a rebuild fills; absent: those in use are opened. */
  readonly suffix?: string | undefined;
}
