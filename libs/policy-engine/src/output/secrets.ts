/** A kind of secret: how it begins, and the whole of it. Every quantity has an upper bound, so a look costs the same anywhere. */
interface SecretForm {
  readonly begins: string;
  readonly whole: RegExp;
}

const form = (begins: string, rest: string): SecretForm => ({ begins, whole: new RegExp(`${begins}${rest}`, 'y') });

/** Credentials that their makers gave a beginning of their own, so that leaks can be found. */
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
/** By what {@link BEGINS} found: every form that begins so. */
const FORMS_BY_BEGINNING: ReadonlyMap<string, readonly RegExp[]> = new Map(
  FORMS.map(({ begins }) => [
    literal(begins),
    FORMS.filter((other) => literal(begins).startsWith(literal(other.begins))).map(({ whole }) => whole),
  ]),
);

/** Two JSON objects and a signature (RFC 7519): no run of characters is entered twice. */
const SIGNED_TOKEN = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,600}\.eyJ[A-Za-z0-9_-]{8,1500}\.[A-Za-z0-9_-]{16}/;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
/** A password in a URL (RFC 3986 section 3.2.1), but for placeholders. */
const URL_PASSWORD = /:\/\/[^\s/?#@:"'<>]{0,64}:(?![<${*%])[^\s/?#@:"'<>]{4,128}@[A-Za-z0-9[]/;
/** Name and password in base64 (RFC 7617 section 2). */
const BASIC = /(?<![A-Za-z])basic ([A-Za-z0-9+/]{8,512}={0,2})/gi;
const NAME_AND_PASSWORD = /^[\x20-\x7e]+:[\x20-\x7e]+$/;
/** A name that says that its value is a secret. */
const NAMED =
  /(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|bearer)["']?(?: {0,2}[:=]| )\s{0,2}["']?/gi;
const NAMED_VALUE = /[A-Za-z0-9+/_.~!@#$%^&*-]{12,128}/y;

/** `://:pass@a` */
const SHORTEST = 10;

/**
 * Whether a text of `normalText` holds a credential: a key or token by the form that its maker gave it, a private key in
 * PEM, a signed token, a password in a URL or of Basic authentication, or a value of high variety behind a name that says
 * that it is secret.
 */
export function holdsSecret(text: string): boolean {
  if (text.length < SHORTEST) return false;
  if (holdsForm(text) || SIGNED_TOKEN.test(text) || PRIVATE_KEY.test(text) || URL_PASSWORD.test(text)) return true;
  return holdsNamed(text) || holdsBasic(text);
}

const SECRET_NAME =
  /(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|(?:auth|access|refresh)[_-]?token|credential)s?$/i;

/** Whether a member's name says that its value is secret, and the value has the variety of one. */
export function isNamedSecret(name: string, value: string): boolean {
  if (name.length > 64 || value.length < 12 || value.length > 512 || !SECRET_NAME.test(name)) return false;
  return !/\s/.test(value) && isVaried(value);
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
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    NAMED_VALUE.lastIndex = NAMED.lastIndex;
    const value = NAMED_VALUE.exec(text)?.[0];
    if (value !== undefined && isVaried(value)) return true;
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

/** Letters and digits mixed, and no character so often that it is a placeholder. */
function isVaried(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 8;
}
