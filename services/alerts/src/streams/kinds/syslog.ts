import { readTlsAddress, sendTls } from '@countersign/service-kit';
import { others, type OtherKind } from './kind.js';
import { certificatesProblem, identityOf } from './syslog-certificates.js';
import { syslogMessage } from './syslog-message.js';

/** Length that receivers should be able to take: RFC 5425, section 4.3.1. */
const MOST_MESSAGE_BYTES = 8_192;
/** Given to companies as an example, and to none of them: RFC 5612. */
const DOCUMENTATION_PEN = 32_473;

/**
 * Syslog over TLS: messages of RFC 5424 in frames of RFC 5425, a connection for each batch. The protocol has no
 * acknowledgement: a batch is delivered when the receiver closes the connection after all of it was sent.
 */
export const SYSLOG: OtherKind = {
  settings: ['enterpriseId', 'maxMessageBytes'],
  address: (text, allowedHosts) => readTlsAddress(text, allowedHosts, 'url'),
  problem(_url, credentials, settings) {
    if (settings.enterpriseId === DOCUMENTATION_PEN) {
      return `settings.enterpriseId ${DOCUMENTATION_PEN} is for documentation (RFC 5612): give the number that IANA assigned to your organization, or none`;
    }
    return others(credentials, ['ca', 'clientCertificate', 'clientKey']) ?? certificatesProblem(credentials);
  },
  deliver(batch, { url, accountId, settings, credentials, originHost }, network) {
    const { enterpriseId = null, maxMessageBytes = MOST_MESSAGE_BYTES } = settings;
    const of = { accountId, originHost, enterpriseId, mostBytes: maxMessageBytes };
    const frames = batch.map((record) => framed(syslogMessage(record, of)));
    return sendTls(url, Buffer.concat(frames), identityOf(credentials), network);
  },
};

/** The message after its length in octets: RFC 5425, section 4.3. */
function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}
