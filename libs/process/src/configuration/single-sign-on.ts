import { resolve } from 'node:path';
import type { Role } from '@countersign/contracts';
import type { Reader } from './readers.js';

/** The provider of single sign-on by OpenID Connect, and whom it signs in. */
export interface SingleSignOnConfig {
  /** As the claim `iss` of its tokens has it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absolute. `null`: a client without a secret, which PKCE alone protects. */
  readonly clientSecretFile: string | null;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Name of the provider on the sign-in page. */
  readonly label: string;
  /** Roles by the values of a claim, applied at each sign-in. `null`: roles are set in the account. */
  readonly roles: { readonly claim: string; readonly byValue: readonly (readonly [string, Role])[] } | null;
  /** The one account whose users sign in by it. `null`: those of every account, where registration is not open. */
  readonly accountId: string | null;
  /** Users that the account lacks are added at their first sign-in. */
  readonly createsUsers: boolean;
  /** Refuses passwords of users who have signed in by it, and of all users of `accountId`. */
  readonly refusesPasswords: boolean;
}

/** Variables of single sign-on, as they were read. */
export interface SingleSignOnValues {
  readonly COUNTERSIGN_OIDC_ISSUER?: string | null;
  readonly COUNTERSIGN_OIDC_CLIENT_ID?: string | null;
  readonly COUNTERSIGN_OIDC_CLIENT_SECRET_FILE?: string | null;
  readonly COUNTERSIGN_OIDC_SCOPES?: string | null;
  readonly COUNTERSIGN_OIDC_LABEL?: string | null;
  readonly COUNTERSIGN_OIDC_ROLE_CLAIM?: string | null;
  readonly COUNTERSIGN_OIDC_ROLES?: readonly (readonly [string, Role])[] | null;
  readonly COUNTERSIGN_OIDC_ACCOUNT?: string | null;
  readonly COUNTERSIGN_OIDC_CREATE_USERS?: boolean | null;
  readonly COUNTERSIGN_OIDC_REFUSE_PASSWORDS?: boolean | null;
}

const OTHERS = [
  'COUNTERSIGN_OIDC_CLIENT_ID',
  'COUNTERSIGN_OIDC_CLIENT_SECRET_FILE',
  'COUNTERSIGN_OIDC_SCOPES',
  'COUNTERSIGN_OIDC_LABEL',
  'COUNTERSIGN_OIDC_ROLE_CLAIM',
  'COUNTERSIGN_OIDC_ROLES',
  'COUNTERSIGN_OIDC_ACCOUNT',
  'COUNTERSIGN_OIDC_CREATE_USERS',
  'COUNTERSIGN_OIDC_REFUSE_PASSWORDS',
] as const;
const MOST_ROLES = 200;
/** Hosts of this machine, where a provider may be asked without TLS. */
const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Builds the configuration from its variables, without reading files. Incomplete settings give `null`. */
export function singleSignOn(values: SingleSignOnValues): SingleSignOnConfig | null {
  const { COUNTERSIGN_OIDC_ISSUER: issuer, COUNTERSIGN_OIDC_CLIENT_ID: clientId } = values;
  const { COUNTERSIGN_OIDC_CLIENT_SECRET_FILE: file, COUNTERSIGN_OIDC_ROLE_CLAIM: claim } = values;
  if (!issuer || !clientId) return null;
  return {
    issuer,
    clientId,
    clientSecretFile: file ? resolve(file) : null,
    scopes: values.COUNTERSIGN_OIDC_SCOPES ?? 'openid email profile',
    label: values.COUNTERSIGN_OIDC_LABEL ?? new URL(issuer).hostname,
    roles: claim ? { claim, byValue: values.COUNTERSIGN_OIDC_ROLES ?? [] } : null,
    accountId: values.COUNTERSIGN_OIDC_ACCOUNT ?? null,
    createsUsers: values.COUNTERSIGN_OIDC_CREATE_USERS ?? false,
    refusesPasswords: values.COUNTERSIGN_OIDC_REFUSE_PASSWORDS ?? false,
  };
}

/**
 * Returns a line for each variable that is missing next to one that is set.
 * @param openRegistration as it applies: accounts of strangers exist, whose admins add users with the addresses of others
 */
export function singleSignOnProblems(
  values: SingleSignOnValues & {
    readonly COUNTERSIGN_PROFILE?: string | null;
    readonly COUNTERSIGN_PUBLIC_URL?: string | null;
  },
  openRegistration: boolean,
): readonly string[] {
  const needs = (missing: string, by: string): string => `${missing} is missing: ${by} needs it`;
  const isSet = (name: keyof SingleSignOnValues): boolean => values[name] !== undefined && values[name] !== null;
  if (!isSet('COUNTERSIGN_OIDC_ISSUER')) {
    const set = OTHERS.find(isSet);
    return set === undefined ? [] : [needs('COUNTERSIGN_OIDC_ISSUER', set)];
  }
  const problems: string[] = [];
  if (!isSet('COUNTERSIGN_OIDC_CLIENT_ID'))
    problems.push(needs('COUNTERSIGN_OIDC_CLIENT_ID', 'COUNTERSIGN_OIDC_ISSUER'));
  if (isSet('COUNTERSIGN_OIDC_ROLES') !== isSet('COUNTERSIGN_OIDC_ROLE_CLAIM')) {
    problems.push('COUNTERSIGN_OIDC_ROLE_CLAIM and COUNTERSIGN_OIDC_ROLES must be set together');
  }
  if (values.COUNTERSIGN_OIDC_CREATE_USERS === true) {
    for (const needed of ['COUNTERSIGN_OIDC_ACCOUNT', 'COUNTERSIGN_OIDC_ROLE_CLAIM'] as const) {
      if (!isSet(needed)) problems.push(needs(needed, 'COUNTERSIGN_OIDC_CREATE_USERS'));
    }
  }
  if (openRegistration && !isSet('COUNTERSIGN_OIDC_ACCOUNT') && values.COUNTERSIGN_OIDC_CREATE_USERS !== true) {
    problems.push(
      'COUNTERSIGN_OIDC_ACCOUNT is missing: while registration is open, anyone could add a user with the e-mail address of ' +
        'another person, who would then sign in as that user; set it, or COUNTERSIGN_OPEN_REGISTRATION=false',
    );
  }
  if (values.COUNTERSIGN_PROFILE === 'distributed' && !values.COUNTERSIGN_PUBLIC_URL) {
    problems.push(needs('COUNTERSIGN_PUBLIC_URL', 'COUNTERSIGN_OIDC_ISSUER'));
  }
  return problems;
}

/** An issuer letter by letter: a slash at its end belongs to it. Without TLS on this machine only. */
export function issuerUrl(): Reader<string> {
  return {
    expected: 'an https:// address without query and credentials (http:// on this machine only)',
    read(raw) {
      const url = URL.canParse(raw) ? new URL(raw) : null;
      if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return null;
      const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
      return isSafe && raw.length <= 200 ? raw : null;
    },
  };
}

/** Scopes as an authorization request has them (RFC 6749 section 3.3), with those of the e-mail address. */
export function scopes(): Reader<string> {
  return {
    expected: 'scopes separated by spaces, openid and email among them',
    read(raw) {
      const all = raw.split(/\s+/);
      const areScopes = all.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(scope));
      return areScopes && all.includes('openid') && all.includes('email') ? all.join(' ') : null;
    },
  };
}

/** `value=role` entries separated by commas. */
export function rolesByValue(): Reader<readonly (readonly [string, Role])[]> {
  return {
    expected: `value=role entries separated by commas, each role auditor, member or admin, at most ${MOST_ROLES}`,
    read(raw) {
      const entries = raw.split(',').map((part) => /^\s*(\S(?:.*\S)?)\s*=\s*(auditor|member|admin)\s*$/.exec(part));
      if (entries.length > MOST_ROLES) return null;
      const roles = entries.flatMap((entry) => (entry === null ? [] : [[entry[1]!, entry[2] as Role] as const]));
      return roles.length === entries.length && new Set(roles.map(([value]) => value)).size === roles.length
        ? roles
        : null;
    },
  };
}

/** A UUID, in lower case. */
export function uuid(): Reader<string> {
  return {
    expected: 'a UUID',
    read: (raw) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(raw) ? raw.toLowerCase() : null),
  };
}

/** A name that is shown to people. */
export function shownName(): Reader<string> {
  return {
    expected: 'text of 1 to 60 characters without control characters',
    read: (raw) => (/^[^\p{C}]{1,60}$/u.test(raw) ? raw : null),
  };
}
