import { number } from './en.js';

/** Texts of the first steps. */
export const welcomeWords = {
  title: 'First steps',
  lead: 'From an action to a report that anyone can verify, without typing. Everything below is recorded in this account.',
  sandboxLead:
    'From an action to a decision that is proved on a chain, without typing. Everything below is recorded in this account.',
  done: 'Done',
  step: (step: number) => `Step ${step}`,
  waiting: 'Run the sample first.',
  run: {
    title: 'Let an agent act',
    lead: 'The booking agent of an airline asks about each of 24 actions before it acts. Its profile denies nothing yet: what it does is recorded.',
    action: 'Run the sample',
    again: 'Run it again',
    atOnce: 'All at once',
    how: 'This makes the agent “Airline demo” and an API key for it alone, sends each action to POST /v1/check, two a second, and revokes the key.',
    keep: 'Keep the agent acting, one action a second, while this page is open',
    progress: (count: number, of: number) => `${number(count)} of ${number(of)} actions asked about`,
    result: (checks: number, denied: number) => `${number(checks)} checks, ${number(denied)} denied`,
    failed: 'The sample was interrupted',
    newest: 'Newest checks',
    all: 'Open the events',
  },
  rules: {
    title: 'See what rules would do, then let an agent act under them',
    lead: 'These rules let the agent search and book, spend up to 2,000 dollars a day, and send no vouchers. They are tried on the checks above before they are saved.',
    how: 'This makes the agent “Airline demo with rules”, saves the rules for it, and sends the same 24 actions. The first agent stays as it is.',
    action: 'Save the rules, and run the sample under them',
    again: 'Run it again under the rules',
    denied: 'What was denied, and by which rule',
    profile: 'The profile of the agent',
  },
  anchor: {
    title: 'Watch the decisions anchored',
    lead: 'At the end of each window the hash of its events is written into a transaction on a Solana network. From then on no event can be changed or removed unseen.',
    sandbox: 'This account is a sandbox: unless its operator set another length, its windows end every hour.',
    state: (anchored: number, of: number) => `${number(anchored)} of ${number(of)} checks anchored`,
    due: 'The window of the oldest check that is not anchored yet ends at',
  },
  report: {
    title: 'Issue a report, and verify it here',
    lead: 'A report is signed and holds each event with its proof. Your browser reads it, computes every hash again and asks the chain.',
    sandbox:
      'This account is a sandbox, and signed reports need the plan core, scale or enterprise, which the operator of this installation sets. Each event has its own proof once it is anchored: open one and verify it in this browser.',
    issue: 'Issue a report',
    busy: 'Collecting events and proofs, signing…',
    verify: 'Verify it in this browser',
    change: 'Change one character and verify again',
    changed: 'One character of this copy was changed.',
    open: 'Open the report',
    node: 'Solana node that is asked',
    noNode: 'none: name one on the page of the report to have the chain asked as well',
  },
  own: {
    title: 'Connect your own agent',
    lead: 'Make a key, and ask before each action. The reference has the routes, and the clients for JavaScript and Python.',
    keys: 'API keys',
    api: 'API reference',
    coverage: 'Controls that these events show',
  },
} as const;
