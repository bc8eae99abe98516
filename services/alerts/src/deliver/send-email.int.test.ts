import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { mailText } from './mail-text.js';
import { isEmailAddress, openMailer } from '@countersign/service-kit/mail';

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

const CONTENT = {
  type: 'violation.blocked',
  timestamp: '2026-03-01T09:30:00.000Z',
  data: {
    eventId: 'e',
    agentId: 'a',
    severity: 'P1',
    violation_type: 'unsafe_output',
    reason: 'one\r\n.\r\nQUIT',
    count: 7,
  },
};

describe('e-mail', () => {
  const received: Received[] = [];
  let server: SMTPServer;
  let url: string;

  beforeAll(async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo({ address }, _session, callback) {
        if (!address.startsWith('unknown')) return callback();
        callback(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
      },
      onData(stream, { envelope }, callback) {
        let text = '';
        stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        stream.on('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          received.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
          callback();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

  it('arrives, with the message’s id on every attempt', async () => {
    const mailer = openMailer(url, 'alerts@countersign.example');
    const mail = { id: 'msg_1', to: 'ops@example.com', ...mailText(CONTENT) };
    expect(await mailer.send(mail)).toEqual({ status: 250, error: null });
    expect(await mailer.send(mail)).toEqual({ status: 250, error: null });
    expect(received).toHaveLength(2);
    for (const { from, to, text } of received) {
      expect(from).toBe('alerts@countersign.example');
      expect(to).toEqual(['ops@example.com']);
      expect(text).toContain('Message-ID: <msg_1@countersign.example>');
      expect(text).toContain('Subject: Countersign P1: unsafe output (7 times)');
      expect(text).toContain('Reason      one . QUIT');
    }
    mailer.close();
  });

  it('reports the status of a refusal, or that there was no answer', async () => {
    const mailer = openMailer(url, null);
    const mail = { id: 'msg_2', to: 'unknown@example.com', ...mailText(CONTENT) };
    expect(await mailer.send(mail)).toEqual({ status: 550, error: 'the mail server answered 550' });
    const away = openMailer('smtp://127.0.0.1:9', null);
    expect(await away.send(mail)).toEqual({ status: null, error: 'the mail server cannot be reached' });
    mailer.close();
    away.close();
  });

  it.each(['a@example.com', 'first.last+tag@mail.example.org'])('accepts %s', (address) =>
    expect(isEmailAddress(address)).toBe(true),
  );

  it.each([
    '',
    'a',
    'a@',
    '@b.c',
    'a@b@c.d',
    'A <a@example.com>',
    'a@example.com,b@example.com',
    'a@b.c\r\nBcc: x@y.z',
  ])('refuses %j', (address) => expect(isEmailAddress(address)).toBe(false));
});
