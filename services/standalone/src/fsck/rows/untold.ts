const ORDER = 'the order in which things were made: lists are sorted by it';
const MEMBERS = 'users are in no topic: a copy of them would hold their password hashes';
const NOTICES = 'who was told what: destinations come and go, and no topic tells them';
const AGAIN = 'what is forgotten, or said of a process that ended, is done again at the start';

/**
 * What no second place tells, so that a change of it is found by nobody, if it keeps its form: `<store> <table> <column>`,
 * with `row` for a row that is removed, and why.
 */
export const UNTOLD: Readonly<Record<string, string>> = {
  'archive accounts acknowledged_at': 'when somebody acknowledged: no event says it',
  'archive accounts acknowledged_n': 'up to where somebody acknowledged: no event says it',
  'archive agents published_sequence': AGAIN,
  'anchors cadences opened_at': 'when its first leaf came, by two clocks: it only says when the window ends',
  'anchors submissions n': ORDER,
  'anchors submissions attempts': AGAIN,
  'policy agents number': ORDER,
  'policy agent_totals totals': 'times inside the window of the rate limit',
  'identity accounts members_version': MEMBERS,
  'identity users number': ORDER,
  'identity users version': MEMBERS,
  'identity users password_hash': MEMBERS,
  'identity users created_at': MEMBERS,
  'identity api_keys number': ORDER,
  'identity login_failures row': 'failed logins of the last minutes are in no topic',
  'identity login_failures at_ms': 'failed logins of the last minutes are in no topic',
  'identity login_failures email': 'failed logins of the last minutes are in no topic',
  'identity login_failures ip': 'failed logins of the last minutes are in no topic',
  'identity sign_in_places row': 'places of sign-ins are in no topic',
  'identity sign_in_places email': 'places of sign-ins are in no topic',
  'identity sign_in_places ip': 'places of sign-ins are in no topic',
  'identity sign_in_places at_ms': 'places of sign-ins are in no topic',
  'alerts destinations body': NOTICES,
  'alerts threads row': NOTICES,
  'alerts threads body': NOTICES,
  'alerts messages row': NOTICES,
  'alerts messages body': NOTICES,
  'alerts messages token': AGAIN,
  'alerts seen_events row': NOTICES,
};
