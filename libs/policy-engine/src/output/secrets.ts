import { ENGLISH_NAME, isSettingBefore, LATIN_NAME, NAME_BEYOND_LATIN, secretNameOf } from './secret-names.js';

/**
 * A kind of secret: its prefix, and the whole of it. Every quantity has an upper bound, so the cost at each position is
 * bounded.
 */
interface SecretForm {
  readonly begins: string;
  readonly whole: RegExp;
}

const form = (begins: string, rest: string): SecretForm => ({ begins, whole: new RegExp(`${begins}${rest}`, 'y') });

/** Credentials to which their issuers gave a prefix, so that leaks can be found. */
const FORMS: readonly SecretForm[] = [
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA'].map((begins) => form(begins, '[A-Z2-7]{16}(?![A-Za-z0-9])')),
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((begins) => form(begins, '[A-Za-z0-9]{36}')),
  form('github_pat_', '[A-Za-z0-9_]{36}'),
  ...['glpat-', 'gldt-', 'glrt-'].map((begins) => form(begins, '[A-Za-z0-9_-]{20}')),
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-'].map((begins) => form(begins, '[A-Za-z0-9-]{10}')),
  form('xapp-', '\\d-[A-Z0-9]{6}'),
  form('hooks.slack.com/services/', 'T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{20}'),
  ...['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'].map((begins) => form(begins, '[A-Za-z0-9]{16}')),
  form('whsec_', '[A-Za-z0-9+/]{24}'),
  form('csn_live_', '[A-Za-z0-9]{32}'),
  ...['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-ant-', 'sk-or-'].map((begins) => form(begins, '[A-Za-z0-9_-]{20}')),
  form('sk-', '[A-Za-z0-9]{32}'),
  form('AIza', '[A-Za-z0-9_-]{35}'),
  form('GOCSPX-', '[A-Za-z0-9_-]{24}'),
  form('ya29\\.', '[A-Za-z0-9_-]{20}'),
  form('npm_', '[A-Za-z0-9]{36}'),
  form('pypi-', 'AgE[A-Za-z0-9_-]{40}'),
  form('SG\\.', '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32}'),
  form('SK', '[0-9a-f]{32}(?![A-Za-z0-9])'),
  form('hf_', '[A-Za-z0-9]{30}'),
  ...['dop_v1_', 'doo_v1_', 'dor_v1_'].map((begins) => form(begins, '[a-f0-9]{64}')),
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map((begins) => form(begins, '[A-Fa-f0-9]{32}')),
  form('dapi', '[a-f0-9]{32}'),
  ...['hvs\\.', 'hvb\\.'].map((begins) => form(begins, '[A-Za-z0-9_-]{24}')),
  form('AGE-SECRET-KEY-1', '[A-Z0-9]{40}'),
  form('lin_api_', '[A-Za-z0-9]{40}'),
  form('PMAK-', '[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}'),
  form('EAAC', '[A-Za-z0-9]{60}'),
  form('AccountKey=', '[A-Za-z0-9+/]{80}'),
];

const literal = (begins: string): string => begins.replaceAll('\\', '');
const BEGINS = new RegExp(`(?<![A-Za-z0-9])(?:${FORMS.map(({ begins }) => begins).join('|')})`, 'g');
/** By the match of {@link BEGINS}: every form with that prefix. */
const FORMS_BY_BEGINNING: ReadonlyMap<string, readonly RegExp[]> = new Map(
  FORMS.map(({ begins }) => [
    literal(begins),
    FORMS.filter((other) => literal(begins).startsWith(literal(other.begins))).map(({ whole }) => whole),
  ]),
);

/** Two JSON objects and a signature (RFC 7519): no run of characters is entered twice. */
const SIGNED_TOKEN = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,600}\.eyJ[A-Za-z0-9_-]{8,1500}\.[A-Za-z0-9_-]{16}/;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
/** `-----BEGIN ` in base64, and as much of the rest as identifies a private key. */
const ENCODED_PEM = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,80}/g;
/** A password in a URL (RFC 3986 section 3.2.1), except placeholders. */
const URL_PASSWORD = /:\/\/[^\s/?#@:"'<>]{0,64}:(?![<${*%])[^\s/?#@:"'<>]{4,128}@[A-Za-z0-9[]/;
/** Name and password in base64 (RFC 7617 section 2). */
const BASIC = /(?<![A-Za-z])basic ([A-Za-z0-9+/]{8,512}={0,2})/gi;
const NAME_AND_PASSWORD = /^[\x20-\x7e]+:[\x20-\x7e]+$/;
/**
 * Separators between a name and its value, in code, settings, mark-up and tables; the value may be on the next line.
 */
const ASSIGNED = ['["\']?\\s{0,4}(?:=>|:=|[:=>|])', '["\']?,?\\s{0,16}["\']?\\bvalue["\']?\\s{0,2}[:=]'].join('|');
/** In prose: `is` in several languages, or a dash. */
const SAID = '["\']?[ \\t](?:is|was|ist|lautet|es|est|era|[éè]|это|[–—])(?:\\s?:)?(?=\\s)';
/** In languages that do not separate words. */
const SAID_UNSPACED = '\\s?(?:[是为為はが]|[은는])\\s?';
const named = (names: string, said: string): RegExp =>
  new RegExp(`(?:${names})(?:(?<assigned>${ASSIGNED})|(?<said>${said})|[ \\t])[\\s|]{0,24}["'(]?`, 'gi');
const NAMED = named(ENGLISH_NAME, SAID);
const NAMED_LATIN = named(LATIN_NAME, SAID);
const NAMED_BEYOND_LATIN = named(NAME_BEYOND_LATIN, `${SAID}|${SAID_UNSPACED}`);
/** Letters of other scripts than Latin. */
const BEYOND_LATIN = /[\u0370-\u1dff\u2e80-\ud7ff]/;
const NAMED_VALUE = /[A-Za-z0-9+/_.~!@#$%^&*-]{8,128}/y;
/** A password of digits alone. */
const NAMED_DIGITS = /\d{6,24}(?![A-Za-z0-9])/y;
const LEAST_PASSWORD = 8;
const LEAST_DIGITS = 6;
const LEAST_KEY = 12;
/** Short values after `token` are as often names of tokens. */
const LEAST_TOKEN = 16;
/** Words of prose with a number among them: `sha256-hashed`. */
const HYPHENATED = /^[a-z0-9]+(?:-[a-z0-9]+)+[.,;:!?]?$/;
const BETWEEN_PARTS = /[^A-Za-z0-9]+/;
/** A name with its version: `Vault`, `RFC7519`. */
const NAME_OR_NUMBER = /^[A-Za-z]*\d{0,4}$/;
/** Parts of an algorithm's name: `AES-256-GCM`, `PBKDF2-HMAC-SHA256`. */
const ALGORITHM = new RegExp(
  '^(?:a?es|rsa|dsa|ecdsa|eddsa|ecdh|ed|hmac|sha|md|pbkdf|bcrypt|scrypt|argon|x?chacha|poly|gcm|cbc|ctr|ccm|siv|oaep|pss|' +
    'pkcs|hs|rs|ps|base|tls|kw|with|encrypted|hashed|signed|encoded)?' +
    '(?:\\d|20|32|64|128|160|192|224|256|384|512|1024|1305|2048|3072|4096|25519)?(?:id|kw)?$',
  'i',
);
const MOMENT = /^\d{4}-\d\d-\d\dT/;

/** `_KEY` of a setting, and its value. */
const SETTING_KEY = /_KEY["']?\s{0,2}[:=]\s{0,2}["']?([A-Za-z0-9+/_-]{20,128})/g;
/** Name and password as an argument of a command: neither a variable nor a placeholder. */
const COMMAND_PASSWORD =
  /(?<![A-Za-z0-9])curl(?:\.exe)?\s[^]{0,300}?(?<=\s)(?:-[A-Za-z]{0,6}[uU]|--(?:proxy-)?user)[\s=]?["']?[^\s:"'$<{*]{1,64}:(?![$<{*%])[^\s"']{4,128}/;

/** `://:pass@a` */
const SHORTEST = 10;

/**
 * Reports whether a text of `normalText` contains a credential: a key or token by its issuer's format, a private key in
 * PEM, a signed token, a password in a URL or of Basic authentication, or a value of high variety after a name that
 * denotes a secret.
 */
export function holdsSecret(text: string): boolean {
  if (text.length < SHORTEST) return false;
  if (holdsForm(text) || SIGNED_TOKEN.test(text) || PRIVATE_KEY.test(text) || URL_PASSWORD.test(text)) return true;
  if (holdsNamed(text) || holdsSettingKey(text) || (text.includes('curl') && COMMAND_PASSWORD.test(text))) return true;
  return holdsBasic(text) || holdsEncodedKey(text);
}

/** Reports whether a member's name denotes a secret, and the value has the variety of one. */
export function isNamedSecret(name: string, value: string): boolean {
  if (name.length > 64 || value.length < LEAST_DIGITS || value.length > 512) return false;
  const match = secretNameOf(name);
  if (match === null || /\s/.test(value) || isFolder(match[0], value)) return false;
  if (mayBeDigits(match) && isVariedDigits(value)) return true;
  return value.length >= leastLength(match) && isVaried(value) && !isAlgorithm(value);
}

/** `PWD` is also the working directory of a shell. */
function isFolder(name: string, value: string): boolean {
  return /^pwd/i.test(name) && /^[~.]{0,2}\//.test(value);
}

function isPassword({ groups }: RegExpExecArray): boolean {
  return groups?.['password'] !== undefined || groups?.['alone'] !== undefined;
}

/** Reports whether digits alone may be the value: after a plural they are a count. */
function mayBeDigits(match: RegExpExecArray): boolean {
  return isPassword(match) && match.groups?.['plural'] === undefined;
}

function leastLength(match: RegExpExecArray): number {
  if (isPassword(match)) return LEAST_PASSWORD;
  return match.groups?.['token'] === undefined ? LEAST_KEY : LEAST_TOKEN;
}

function holdsForm(text: string): boolean {
  BEGINS.lastIndex = 0;
  for (let match = BEGINS.exec(text); match !== null; match = BEGINS.exec(text)) {
    for (const whole of FORMS_BY_BEGINNING.get(match[0]) ?? []) {
      whole.lastIndex = match.index;
      if (whole.test(text)) return true;
    }
  }
  return false;
}

function holdsNamed(text: string): boolean {
  if (holdsNamedBy(NAMED, text) || holdsNamedBy(NAMED_LATIN, text)) return true;
  return BEYOND_LATIN.test(text) && holdsNamedBy(NAMED_BEYOND_LATIN, text);
}

function holdsNamedBy(names: RegExp, text: string): boolean {
  names.lastIndex = 0;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    if (isSecretAt(text, names.lastIndex, match)) return true;
  }
  return false;
}

/** Reports whether the value that begins at `at`, after a name, is a secret. */
function isSecretAt(text: string, at: number, match: RegExpExecArray): boolean {
  const isAssigned = match.groups?.['assigned'] !== undefined;
  if (mayBeDigits(match) && (isAssigned || match.groups?.['said'] !== undefined)) {
    NAMED_DIGITS.lastIndex = at;
    const digits = NAMED_DIGITS.exec(text)?.[0];
    if (digits !== undefined && isVariedDigits(digits)) return true;
  }
  NAMED_VALUE.lastIndex = at;
  const value = NAMED_VALUE.exec(text)?.[0];
  if (value === undefined || value.length < leastLength(match) || !isVaried(value)) return false;
  if (isFolder(match[0], value) || isAlgorithm(value) || MOMENT.test(value)) return false;
  return isAssigned || !(HYPHENATED.test(value) || (!isPassword(match) && isProse(value)));
}

function partsOf(value: string): readonly string[] {
  return value.split(BETWEEN_PARTS).filter((part) => part !== '');
}

function isAlgorithm(value: string): boolean {
  return partsOf(value).every((part) => ALGORITHM.test(part));
}

/** Names and versions, joined: `Vault-1.15.2`. */
function isProse(value: string): boolean {
  const parts = partsOf(value);
  return parts.length > 1 && parts.every((part) => NAME_OR_NUMBER.test(part));
}

/** The key of a setting without another meaning (`AZURE_STORAGE_KEY`), which is random. */
function holdsSettingKey(text: string): boolean {
  if (!text.includes('_KEY')) return false;
  SETTING_KEY.lastIndex = 0;
  for (let match = SETTING_KEY.exec(text); match !== null; match = SETTING_KEY.exec(text)) {
    if (isRandom(match[1]!) && isSettingBefore(text, match.index)) return true;
  }
  return false;
}

/** A private key in PEM that was encoded in base64 again, as cluster settings hold it. */
function holdsEncodedKey(text: string): boolean {
  ENCODED_PEM.lastIndex = 0;
  for (let match = ENCODED_PEM.exec(text); match !== null; match = ENCODED_PEM.exec(text)) {
    if (PRIVATE_KEY.test(Buffer.from(match[0], 'base64').toString('latin1'))) return true;
  }
  return false;
}

function holdsBasic(text: string): boolean {
  BASIC.lastIndex = 0;
  for (let match = BASIC.exec(text); match !== null; match = BASIC.exec(text)) {
    if (NAME_AND_PASSWORD.test(Buffer.from(match[1]!, 'base64').toString('latin1'))) return true;
  }
  return false;
}

/** Mixed letters and digits, and no character so often that it is a placeholder. */
function isVaried(value: string): boolean {
  const least = value.length < LEAST_KEY ? 6 : 8;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= least;
}

/** Letters of both cases and digits in random order. */
function isRandom(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && new Set(value).size >= 12;
}

/** Digits only, and not one or two of them repeated. */
function isVariedDigits(value: string): boolean {
  return /^\d{6,24}$/.test(value) && new Set(value).size >= 3;
}
