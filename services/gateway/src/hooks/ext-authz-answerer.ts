import { AGENT_HEADER, EXT_AUTHZ_PATH, notDecided } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import type { ParsedChecks } from '../check/parsed-checks.js';
import { readCheckHeaders } from '../http/check-headers.js';
import { actingAgent } from './acting-agent.js';

export type ExtAuthzInput = RouteInput<undefined, unknown, ApiKeyCaller>;

/** Answers the external authorization of Envoy over HTTP: 200 lets a request pass, 403 denies it. */
export class ExtAuthzAnswerer {
  constructor(private readonly checks: ParsedChecks) {}

  /** @throws HttpRefusal for everything that is not decided, which the edge answers with 403 */
  async answer({ caller, headers, sent }: ExtAuthzInput): Promise<HttpAnswer> {
    const agentId = actingAgent(caller.powers, headers[AGENT_HEADER]);
    const action = actionOf(sent, headers);
    const key = await this.checks.callerKey(caller.apiKeyId);
    const outcome = await this.checks.check({ agentId, action }, key, null, readCheckHeaders(sent.rawHeaders));
    switch (outcome.kind) {
      case 'refused':
        throw new HttpRefusal(outcome.status === 408 ? 503 : outcome.status, outcome.error);
      case 'undecided': {
        const event: Readonly<Record<string, string>> =
          outcome.eventId === null ? {} : { 'x-event-id': outcome.eventId };
        return new HttpAnswer(403, { allowed: false, reason: notDecided(outcome.reason), code: outcome.code }, event);
      }
      case 'decided': {
        const { status, body, eventId, coverage, wouldDeny } = outcome.answer;
        const about = {
          'x-event-id': eventId,
          ...(coverage === null ? {} : { 'x-policy-coverage': coverage }),
          ...(wouldDeny === null ? {} : { 'x-would-deny': wouldDeny }),
        };
        const said = JSON.parse(body) as { readonly allowed?: unknown };
        return new HttpAnswer(status === 200 && said.allowed === true ? 200 : 403, said, about);
      }
    }
  }
}

/**
 * The request that Envoy asks about, as an `http_call`: Envoy sends its method, its `Host`, and its path after the prefix
 * (`path_prefix`). The scheme is that of `x-forwarded-proto`, which Envoy sends if it is among its `allowed_headers`.
 * @throws HttpRefusal 400 without a host
 */
function actionOf({ method, target }: ExtAuthzInput['sent'], headers: ExtAuthzInput['headers']): object {
  const { host } = headers;
  if (host === undefined || host === '') throw new HttpRefusal(400, 'the request has no Host');
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  const path = target.slice(target.indexOf(EXT_AUTHZ_PATH) + EXT_AUTHZ_PATH.length);
  return {
    type: 'http_call',
    url: `${scheme}://${host}${path.startsWith('/') ? path : `/${path}`}`,
    metadata: { source: 'envoy', method },
  };
}
