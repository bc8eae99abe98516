import { ConfigurationError, loadConfig } from './load-config.js';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('configuration of the signing keys', () => {
  it('keeps them in files in clear unless a passphrase or a signer is named', () => {
    expect(loadConfig({})).toMatchObject({ signingPassphrase: null, signer: null });
  });

  it('takes a passphrase by its text or by a file, and a signer with or without a token', () => {
    expect(loadConfig({ COUNTERSIGN_SIGNING_PASSPHRASE: 'four plain words here' }).signingPassphrase).toEqual({
      text: 'four plain words here',
    });
    expect(loadConfig({ COUNTERSIGN_SIGNING_PASSPHRASE_FILE: 'secret' }).signingPassphrase).toEqual({
      file: `${process.cwd()}/secret`,
    });
    const url = { COUNTERSIGN_SIGNER_URL: 'https://signer.example/keys/' };
    expect(loadConfig(url).signer).toEqual({ url: 'https://signer.example/keys', tokenFile: null });
    expect(loadConfig({ ...url, COUNTERSIGN_SIGNER_TOKEN_FILE: '/run/token' }).signer?.tokenFile).toBe('/run/token');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'two passphrases',
      { COUNTERSIGN_SIGNING_PASSPHRASE: 'words-of-a-secret', COUNTERSIGN_SIGNING_PASSPHRASE_FILE: '/a' },
      'COUNTERSIGN_SIGNING_PASSPHRASE_FILE must not be set beside COUNTERSIGN_SIGNING_PASSPHRASE',
    ],
    [
      'a token without a signer',
      { COUNTERSIGN_SIGNER_TOKEN_FILE: '/a' },
      'COUNTERSIGN_SIGNER_URL is missing: COUNTERSIGN_SIGNER_TOKEN_FILE needs it',
    ],
    [
      'an address with credentials in it',
      { COUNTERSIGN_SIGNER_URL: 'https://user:words-of-a-secret@signer.example' },
      'COUNTERSIGN_SIGNER_URL must be an http:// or https:// address without query and credentials',
    ],
    [
      'an address of reporting in the embedded profile',
      { COUNTERSIGN_REPORTING_URL: 'http://a' },
      'COUNTERSIGN_REPORTING_URL needs COUNTERSIGN_PROFILE=distributed',
    ],
  ])('refuses %s, without repeating it', (_what, environment, problem) => {
    const problems = problemsOf(environment);
    expect(problems).toEqual([problem]);
    expect(problems.join()).not.toContain('words-of-a-secret');
  });
});
