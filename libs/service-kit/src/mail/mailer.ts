import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';

export interface Mail {
  /** The same for every attempt, so that mail servers recognise a repetition. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface MailAttempt {
  /** Status code of the mail server; `null` if it gave none. */
  readonly status: number | null;
  /** `null`: the mail server accepted the message. */
  readonly error: string | null;
}

export interface Mailer {
  /** One attempt; never rejects. */
  send(mail: Mail): Promise<MailAttempt>;
  close(): void;
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 8_000;
const ADDRESS = /^[^\s@<>()[\]\\,;:"]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,253}[a-z0-9])?$/i;

/** Accepts a bare address, `name@host`, without quotes, comments or a display name. */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text) && !text.includes('..');
}

/** @param smtpUrl `smtp:` or `smtps:`, with user and password if the server needs them */
export function openMailer(smtpUrl: string, from: string | null): Mailer {
  const url = new URL(smtpUrl);
  const sender = from ?? `countersign@${isIP(url.hostname) === 0 ? url.hostname : 'localhost'}`;
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = sender.slice(sender.lastIndexOf('@') + 1).replace(/[^a-zA-Z0-9.-]/g, '');
  return {
    async send({ id, to, subject, text }) {
      try {
        await transport.sendMail({
          from: sender,
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return { status: 250, error: null };
      } catch (error) {
        const { responseCode } = error as { readonly responseCode?: number };
        const status = typeof responseCode === 'number' ? responseCode : null;
        return {
          status,
          error: status === null ? 'the mail server cannot be reached' : `the mail server answered ${status}`,
        };
      }
    },
    close: () => transport.close(),
  };
}
