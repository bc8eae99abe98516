export interface Checker {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly agentIds: readonly string[];
}

const PAYLOAD = {
  reservation_id: 'ZFA04Y',
  total_baggages: 3,
  nonfree_baggages: 1,
  payment_id: 'gift_card_8190333',
};

/** Body of a check: a tool call over HTTP with a payload. */
export function checkBody(agentId: string, payload: object = PAYLOAD): object {
  return {
    agentId,
    action: {
      type: 'http_call',
      url: 'https://api.airline.example/v2/reservations/ZFA04Y/baggage',
      tool_name: 'update_reservation_baggages',
      estimatedCost: 0.015,
      metadata: { conversation: 'c-1842', step: 7 },
      payload,
    },
  };
}

/** Whole `POST /v1/check` requests with a {@link checkBody}, one for each agent. */
export function checkRequests({ baseUrl, apiKey, agentIds }: Checker, payload?: object): string[] {
  const { host } = new URL(baseUrl);
  return agentIds.map((agentId) => {
    const body = JSON.stringify(checkBody(agentId, payload));
    const head = [
      'POST /v1/check HTTP/1.1',
      `host: ${host}`,
      `x-service-key: ${apiKey}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  });
}

/** Rules that every request above passes, each of them evaluated. */
export const PROFILE = {
  allowed_apis: ['*.airline.example', 'https://payments.example/v1', 'update_reservation_baggages'],
  blocked_apis: ['admin.airline.example', 'tracker.example', 'transfer_to_human_agents'],
  off_limits_actions: ['file_delete', 'shell*'],
  spending_limit: 1_000_000_000,
  spending_window: 'month',
} as const;

const SENTENCES =
  'The customer of order 48213 asked why 3 of 7 items were late. We refunded 12.50 USD to her, and informed the carrier at ' +
  'depot 5 that parcel 1Z999AA1 was damaged; see ticket SUP-20931 for the photos. ';

/** 10 KB of text, of which {@link OUTPUT_PROFILE} reads every character and refuses none. */
export const LONG_PAYLOAD = { output: SENTENCES.repeat(60).slice(0, 10_000) };
export const OUTPUT_PROFILE = {
  ...PROFILE,
  output_rules: {
    blocked_pii: ['credit_card', 'email', 'iban', 'us_ssn', 'ip_address', 'crypto_wallet'],
    block_secrets: true,
    blocked_topics: ['a topic that never occurs'],
    max_length: 100_000,
  },
};
