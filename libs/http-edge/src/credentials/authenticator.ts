import type { Route } from '@countersign/contracts';
import type { ApiKeyCaller, SessionCaller } from '../edge/http-contract.js';

/** Who calls, by the credentials of a request. */
export interface Authenticator {
  /** @throws HttpRefusal 401; 503 while it cannot be judged */
  session(rawHeaders: readonly string[]): Promise<SessionCaller>;
  /**
   * @param rights of which the key must have one; absent: any key
   * @throws HttpRefusal 401; 503 while it cannot be judged
   */
  apiKey(rawHeaders: readonly string[], rights: Route['rights']): Promise<ApiKeyCaller>;
  /** Why credentials cannot be judged now; empty when they can. */
  notReady(): readonly string[];
  stop(): Promise<void>;
}
