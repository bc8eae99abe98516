import type { Route } from '@countersign/contracts';
import type { ApiKeyCaller, SessionCaller } from '../edge/http-contract.js';
import type { SessionRequest } from './session-credential.js';

/** Identifies the caller by the credentials of a request. */
export interface Authenticator {
  /** @throws HttpRefusal 401; 503 while credentials cannot be checked */
  session(request: SessionRequest): Promise<SessionCaller>;
  /**
   * @param rights the key must have one of them; absent: any key
   * @throws HttpRefusal 401; 503 while credentials cannot be checked
   */
  apiKey(rawHeaders: readonly string[], rights: Route['rights']): Promise<ApiKeyCaller>;
  /** Reasons why credentials cannot be checked now; empty if they can. */
  notReady(): readonly string[];
  stop(): Promise<void>;
}
