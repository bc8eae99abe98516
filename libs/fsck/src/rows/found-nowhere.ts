const ORDER = 'the order in which things were made: lists are sorted by it';
const MEMBERS = 'users are in no topic: a copy of them would hold their password hashes';
const NOTICES = 'deliveries: destinations come and go, and no topic has them';
const AGAIN = 'it is done again at the next start when it is lost';

/**
 * Data that is stored in one place only, so that no check finds a change of it that keeps its form: `<store> <table>
 * <column>`, with `row` for a row that is removed, and why.
 */
export const FOUND_NOWHERE: Readonly<Record<string, string>> = {
  'archive accounts acknowledged_at': 'time of an acknowledgement: no event has it',
  'archive accounts acknowledged_n': 'offset of an acknowledgement: no event has it',
  'archive agents published_sequence': AGAIN,
  'anchors cadences opened_at': 'when its first leaf came, by two clocks: it only says when the window ends',
  'anchors submissions n': ORDER,
  'anchors submissions attempts': AGAIN,
  'policy doc_agents inserted': ORDER,
  'policy doc_account_totals inserted': ORDER,
  'policy doc_agent_totals inserted': ORDER,
  'policy doc_claims inserted': ORDER,
  'policy doc_seen_events inserted': ORDER,
  'policy doc_positions inserted': ORDER,
  'identity doc_accounts inserted': ORDER,
  'identity doc_members inserted': ORDER,
  'identity doc_members row': MEMBERS,
  'identity doc_users inserted': ORDER,
  'identity doc_api_keys inserted': ORDER,
  'identity doc_key_uses inserted': ORDER,
  'identity doc_sessions inserted': ORDER,
  'identity doc_positions inserted': ORDER,
  'identity doc_login_failures inserted': ORDER,
  'identity doc_login_failures row': 'failed logins of the last minutes are in no topic',
  'identity doc_sign_in_places inserted': ORDER,
  'identity doc_sign_in_places row': 'places of sign-ins are in no topic',
  'reports doc_reports inserted': ORDER,
  'reports doc_openings inserted': ORDER,
  'reports doc_entries inserted': ORDER,
  'reports doc_entries row': 'they follow from the packages, and reports from before series have none',
  'reports doc_series inserted': ORDER,
  'reports doc_series row': 'series are in no topic',
  'reports doc_jobs inserted': ORDER,
  'reports doc_jobs row': 'report jobs are in no topic; the reports that they issued are',
  'reports doc_shares inserted': ORDER,
  'reports doc_shares row': 'links to reports are in no topic: a copy of them would outlive their end',
  'reports doc_scopes inserted': ORDER,
  'reports doc_anchors inserted': ORDER,
  'reports doc_positions inserted': ORDER,
  'facts doc_facts inserted': ORDER,
  'facts doc_positions inserted': ORDER,
  'alerts doc_destinations inserted': ORDER,
  'alerts doc_threads inserted': ORDER,
  'alerts doc_threads row': NOTICES,
  'alerts doc_messages inserted': ORDER,
  'alerts doc_messages row': NOTICES,
  'alerts doc_seen_events inserted': ORDER,
  'alerts doc_seen_events row': NOTICES,
  'alerts doc_positions inserted': ORDER,
};
