/** An action of `POST /v1/check`. */
export interface SampleAction {
  readonly type: 'tool_use' | 'llm_response';
  readonly tool_name?: string;
  /** Dollars. */
  readonly estimatedCost?: number;
  readonly payload: unknown;
}

/** The profile of the first agent: it denies nothing. Payloads are kept, so that verdicts can be computed again. */
export const SAMPLE_PROFILE = { store_payload: true } as const;

/** Rules of the second agent: they deny three of the actions. */
export const SAMPLE_RULES = {
  allowed_apis: [
    'get_*',
    'search_*',
    'book_reservation',
    'cancel_reservation',
    'update_reservation_*',
    'calculate',
    'send_certificate',
    'transfer_to_human_agents',
  ],
  off_limits_actions: ['send_certificate'],
  spending_limit: 2000,
} as const;

const says = (payload: string): SampleAction => ({ type: 'llm_response', payload });
const uses = (tool_name: string, payload: unknown, estimatedCost?: number): SampleAction => ({
  ...{ type: 'tool_use', tool_name, payload },
  ...(estimatedCost === undefined ? {} : { estimatedCost }),
});

/** Actions of an airline's booking agent, in their order. */
export const SAMPLE_ACTIONS: readonly SampleAction[] = [
  says('Gladly. What is your customer number?'),
  uses('get_user_details', { user_id: 'customer_1042' }),
  uses('search_direct_flight', { origin: 'LIS', destination: 'OSL', date: '2026-03-04' }),
  says('CS210 leaves at 09:40 and costs 184 dollars. Shall I book it with your card?'),
  uses('book_reservation', { user_id: 'customer_1042', flight_number: 'CS210', payment_id: 'card_77' }, 184),
  says('Booked: reservation R58C2.'),
  uses('get_reservation_details', { reservation_id: 'R41A7' }),
  says('R41A7 can be cancelled. Shall I?'),
  uses('cancel_reservation', { reservation_id: 'R41A7' }),
  uses('send_certificate', { user_id: 'customer_2210', amount: 500 }, 500),
  says('The reservation is cancelled. I am not able to send a voucher; a colleague will look into it.'),
  uses('transfer_to_human_agents', { summary: 'customer asks for a voucher after a cancellation' }),
  uses('search_direct_flight', { origin: 'OSL', destination: 'JFK', date: '2026-03-11' }),
  says('Four seats on CS402 cost 5,160 dollars. Shall I book?'),
  uses('book_reservation', { user_id: 'customer_3307', flight_number: 'CS402', payment_id: 'certificate_5' }, 5160),
  says('A booking of this size needs the approval of a colleague.'),
  uses('get_reservation_details', { reservation_id: 'R77F1' }),
  uses('update_reservation_flights', { reservation_id: 'R77F1', flight_number: 'CS120' }),
  uses('update_reservation_baggages', { reservation_id: 'R77F1', total_baggages: 2, payment_id: 'card_12' }, 50),
  says('You are on CS120 with two bags.'),
  uses('calculate', { expression: '3 * 139.50' }),
  says('418 dollars and 50 cents.'),
  uses('delete_user', { user_id: 'customer_0881' }),
  says('I cannot delete accounts. Please use the form on the web site.'),
];
