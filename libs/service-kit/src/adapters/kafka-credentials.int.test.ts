import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { ConfigurationError } from '@countersign/process';
import { kafkaCredentials } from './kafka-credentials.js';

const CERTIFICATE = rootCertificates[0]!;

describe('credentials for Kafka', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-credentials-'));
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  afterAll(() => rmSync(folder, { recursive: true }));
  const tls = (set: { caFile?: string; certFile?: string; keyFile?: string; servername?: string }) => {
    const kafkaTls = { caFile: null, certFile: null, keyFile: null, servername: null, ...set };
    return kafkaCredentials({ kafkaTls, kafkaSasl: null });
  };
  const sasl = (passwordFile: string) =>
    kafkaCredentials({ kafkaTls: null, kafkaSasl: { mechanism: 'scram-sha-256', username: 'alice', passwordFile } });

  it('are empty without configuration, and the defaults of TLS without files', async () => {
    expect(await kafkaCredentials({ kafkaTls: null, kafkaSasl: null })).toEqual({});
    expect(await tls({})).toEqual({ tls: {} });
    expect(await tls({ servername: 'kafka.internal' })).toEqual({ tls: { servername: 'kafka.internal' } });
  });

  it('contain the password without its line ending, as the file has it at each call', async () => {
    const password = file('password', ' secret \n');
    expect(await sasl(password)).toEqual({
      sasl: { mechanism: 'scram-sha-256', username: 'alice', password: ' secret ' },
    });
    writeFileSync(password, 'changed');
    expect((await sasl(password)).sasl?.password).toBe('changed');
  });

  it('contain the certificates of the files', async () => {
    const caFile = file('ca.pem', `An authority:\n${CERTIFICATE}\n${rootCertificates[1]}\n`);
    expect((await tls({ caFile })).tls).toEqual({
      ca: Buffer.from(`An authority:\n${CERTIFICATE}\n${rootCertificates[1]}\n`),
    });
  });

  it('name variable and file if it is absent, empty or something else', async () => {
    const absent = join(folder, 'absent');
    await expect(sasl(absent)).rejects.toThrow(ConfigurationError);
    await expect(sasl(absent)).rejects.toThrow(
      `KAFKA_SASL_PASSWORD_FILE names ${absent}, which cannot be used: ENOENT`,
    );
    await expect(sasl(file('empty', '\n'))).rejects.toThrow(/KAFKA_SASL_PASSWORD_FILE names .*empty.*: it is empty/);
    await expect(tls({ caFile: absent })).rejects.toThrow(`KAFKA_TLS_CA_FILE names ${absent}`);
    await expect(tls({ caFile: file('text', 'no certificate') })).rejects.toThrow(/KAFKA_TLS_CA_FILE names .*text/);
    const certFile = file('cert.pem', CERTIFICATE);
    const keyFile = file('key.pem', 'no key');
    await expect(tls({ certFile, keyFile })).rejects.toThrow(`KAFKA_TLS_KEY_FILE names ${keyFile}`);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await expect(tls({ certFile, keyFile })).rejects.toThrow(/KAFKA_TLS_KEY_FILE names .*mismatch/i);
    await expect(tls({ certFile: keyFile, keyFile })).rejects.toThrow(`KAFKA_TLS_CERT_FILE names ${keyFile}`);
  });
});
