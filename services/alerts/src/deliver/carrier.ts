import type { Destination } from '../domain/destination.js';
import { signedHeaders } from '../secrets/webhook-secret.js';
import { mailText, type MessageContent } from './mail-text.js';
import type { Mailer } from '@countersign/service-kit/mail';
import type { OutboundNetwork, Sent } from '@countersign/service-kit';
import { unseal } from '@countersign/process';
import { sendWebhook } from './send-webhook.js';

/** Delivers a message to its destination, in one attempt. */
export interface Carrier {
  /** Never rejects. */
  carry(destination: Destination, id: string, body: string): Promise<Sent>;
}

/**
 * @param key seals the secrets
 * @param mailer `null`: no mail server is configured
 */
export function carrierOf(
  key: Uint8Array,
  network: OutboundNetwork,
  mailer: Mailer | null,
  clock: () => number,
): Carrier {
  return {
    async carry({ id: owner, kind, destination, sealedSecret }, id, body) {
      if (kind === 'email') {
        if (mailer === null) return { status: null, error: 'no mail server is configured' };
        return mailer.send({ id, to: destination, ...mailText(JSON.parse(body) as MessageContent) });
      }
      let secret: string;
      try {
        secret = unseal(sealedSecret ?? '', key, owner);
      } catch {
        return { status: null, error: 'the secret cannot be opened: create the destination again' };
      }
      return sendWebhook(destination, body, signedHeaders(id, body, secret, clock()), network);
    },
  };
}
