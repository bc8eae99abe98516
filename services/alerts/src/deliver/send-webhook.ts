import { MAX_ANSWER_BYTES, sendHttp } from '@countersign/service-kit';
import type { OutboundNetwork, Sent } from '@countersign/service-kit';

/** POSTs a message once, as {@link sendHttp} does; only the status of the answer is kept. Never rejects. */
export async function sendWebhook(
  destination: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  network: OutboundNetwork,
): Promise<Sent> {
  const all = { ...headers, 'content-type': 'application/json', 'user-agent': 'Countersign-Webhooks/1' };
  const { status, error } = await sendHttp(destination, { headers: all, body }, network, MAX_ANSWER_BYTES);
  return { status, error };
}
