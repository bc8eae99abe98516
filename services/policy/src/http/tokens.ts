/** Injection tokens of the controllers and the consumer. */
export const AGENT_CHANGES = Symbol('AgentChanges');
export const POLICY_STORE = Symbol('PolicyStore');
export const SAFETY_PACKAGES = Symbol('SafetyPackages');
export const COUNTERS = Symbol('Counters');
export const CHECK_FOLLOWER = Symbol('CheckFollower');
export const REGISTRATIONS = Symbol('Registrations');
export const DRY_RUNS = Symbol('DryRuns');
export const KEY_REGISTRATIONS = Symbol('KeyRegistrations');
export const ARCHIVE = Symbol('EventArchive, if it is reachable');
export const APPROVALS = Symbol('Approvals');
export const ACCESS_REQUESTS = Symbol('AccessRequests');
