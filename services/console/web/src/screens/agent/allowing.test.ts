import { allowing, whyNotAllowed } from './allowing.js';
import type { EventRecord } from '@countersign/contracts';
import { allowWords } from '../../words/agent.js';

type Denial = Parameters<typeof allowing>[0];
const denied = (violation_type: string, rule: string, reason = '', action: unknown = {}): Denial =>
  ({ violation_type, rule, reason, action }) as unknown as Pick<EventRecord, keyof Denial>;

it('an entry that blocks is left out, and what is missing is added', () => {
  const blocked = denied('api_not_allowed', 'blocked_apis:https://evil.example/a:b');
  expect(allowing(blocked, { blocked_apis: ['x.example', 'https://evil.example/a:b'] })).toEqual({
    changes: { blocked_apis: ['x.example'] },
  });
  const url = 'https://api.example.com:8443/v1?q';
  const unlisted = denied('api_not_allowed', 'allowed_apis:not listed', 'The address in url is not on …', { url });
  expect(allowing(unlisted, { allowed_apis: ['a.example'] })).toEqual({
    changes: { allowed_apis: ['a.example', 'api.example.com:8443'] },
  });
  const action = denied('off_limits_action', 'allowed_actions:not listed', 'tool_name is not on …', {
    ...{ type: 'tool_use', tool_name: 'send_mail' },
  });
  expect(allowing(action, { allowed_actions: ['read'] })).toEqual({
    changes: { allowed_actions: ['read', 'send_mail'] },
  });
  const scope = denied('data_scope_denied', 'allowed_data_scopes:not listed', '', { dataScope: 'crm/mail' });
  expect(allowing(scope, { allowed_data_scopes: ['crm/names'] })).toEqual({
    changes: { allowed_data_scopes: ['crm/names', 'crm/mail'] },
  });
});

it('without a single change that follows it has a reason', () => {
  for (const type of [
    ...['unsafe_output', 'spending_limit_exceeded', 'rate_limit_exceeded', 'limit_exceeded', 'rule_denied'],
    ...['approval_required', 'rule_error'],
  ] as const)
    expect(whyNotAllowed(denied(type, 'blocked_apis:x'))).toBe(allowWords.types[type as keyof typeof allowWords.types]);
  expect(whyNotAllowed(denied('api_not_allowed', 'blocked_apis:unreadable URL'))).toBe(allowWords.unjudged);
  expect(whyNotAllowed(denied('later_type', 'rule:x'))).toBe(allowWords.unknown);
  expect(whyNotAllowed(denied('api_not_allowed', 'allowed_apis:not listed', '', null))).toBe(allowWords.erased);
  const gone = denied('api_not_allowed', 'blocked_apis:evil.example');
  expect(allowing(gone, { blocked_apis: null })).toEqual({ why: allowWords.changedSince });
  const pattern = denied('api_not_allowed', 'allowed_apis:not listed', 'The tool in tool_name is not', {
    tool_name: 'a.*',
  });
  expect(allowing(pattern, { allowed_apis: ['b'] })).toEqual({ why: allowWords.noEntry });
  const argument = denied('api_not_allowed', 'allowed_apis:not listed', 'The address in payload.to is not', {
    url: 'https://a.example',
  });
  expect(allowing(argument, { allowed_apis: ['b'] })).toEqual({ why: allowWords.noEntry });
});
