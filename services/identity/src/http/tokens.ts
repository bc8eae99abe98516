/** Injection tokens of the controllers and the consumer. */
export const SIGN_IN = Symbol('SignIn');
export const PASSWORD_LINKS = Symbol('PasswordLinks');
export const OPEN_SESSIONS = Symbol('OpenSessions');
export const USERS = Symbol('Users');
export const API_KEYS = Symbol('ApiKeys');
export const IDENTITY_STORE = Symbol('IdentityStore');
export const KEY_USE_FOLLOWER = Symbol('KeyUseFollower');
export const SERVICE_CONTEXT = Symbol('ServiceContext');
export const DEFAULT_PROFILES = Symbol('DefaultProfiles');
export const TRUSTED_ISSUERS = Symbol('TrustedIssuers');
export const SECOND_FACTORS = Symbol('SecondFactors');
export const FINISH_SIGN_IN = Symbol('FinishSignIn');
/** `null` where no provider is set up. */
export const SINGLE_SIGN_ON = Symbol('SingleSignOn');
