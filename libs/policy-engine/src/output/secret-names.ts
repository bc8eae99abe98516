/** Prefixes of names in which `pass` means a password of a system; alone it is an ordinary word. */
const SYSTEMS =
  'db|database|sql|mysql|maria|postgres|pg|redis|mongo|rabbitmq|smtp|imap|mail|ftp|ssh|ldap|vpn|wifi|wpa|http|proxy|' +
  'admin|root|user|login|auth|app|client|server|service';
/**
 * `pass` of a system, or where a value is assigned to it. The look-behind comes last: it is evaluated only at `pass`.
 */
const PASS = `pass(?=["']?\\s?=|["']\\s?:)(?<![A-Za-z]pass)|pass(?<=(?<![A-Za-z])(?:${SYSTEMS})[_-]?pass)`;
const PASSWORD = `pass(?:word|wd|phrase|code)|pwd|${PASS}`;
/** Passwords in other languages, in their spelling and in ASCII. */
const LATIN =
  'passwort|kennwort|wachtwoord|contrase[nñ](?:a|ya)|mot[ _-]?de[ _-]?passe|mdp|senha|parola|heslo|has[lł]o|salasana|' +
  'l[oö]senord|adgangskode|jelsz[oó]|[sş]ifre|kata[ _-]?sandi|m[aậ]t[ _-]?kh[aẩ]u';
/** In other scripts. */
const BEYOND_LATIN =
  'парол[ьяю]|κωδικός|סיסמ[הא]|كلمة[ _-]?(?:المرور|السر)|पासवर्ड|รหัสผ่าน|密[码碼]|口令|パスワード|暗証番号|비밀번호|암호';
const KEY =
  '(?:secret|api|access|private|auth|signing|encryption|account|client|storage|shared|master|subscription|deploy|' +
  'webhook|session)[_ -]?key|(?:auth|access|refresh)[_ -]?token|secret|credential|bearer';
/** Pagination tokens are not secrets. */
const TOKEN = '(?<!(?:page|next|continuation|cursor|sync|cancellation)[_ -]?)token';
/** Qualifiers of a secret's name. */
const WHICH =
  '(?:[_-](?:base|value|prod(?:uction)?|staging|dev|test|live|primary|secondary|main|default|old|new|\\d{1,2}))?';
/** One of these within a longer ASCII word is another word. */
const foreign = (names: string): string => `(?<![A-Za-z])(?<password>${names})(?<plural>s)?${WHICH}`;

/** Names of secrets, as sources of expressions without regard to case. */
export const ENGLISH_NAME = `(?:(?<password>${PASSWORD})|${KEY}|(?<token>${TOKEN}))(?<plural>s)?${WHICH}`;
/** Passwords in other languages, likewise. */
export const LATIN_NAME = foreign(LATIN);
export const NAME_BEYOND_LATIN = foreign(BEYOND_LATIN);

const ENGLISH_MEMBER = new RegExp(`(?:${ENGLISH_NAME}|(?<alone>^pass))$`, 'i');
const FOREIGN_MEMBER = new RegExp(`${foreign(`${LATIN}|${BEYOND_LATIN}`)}$`, 'i');

/** The name of a secret that a member's name ends with; `null` for none. */
export function secretNameOf(member: string): RegExpExecArray | null {
  return ENGLISH_MEMBER.exec(member) ?? FOREIGN_MEMBER.exec(member);
}

/** A setting by its name, up to `_KEY`. */
const SETTING = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{0,63}$/;
/** Keys for finding or ordering, and public keys. */
const OTHER_KEY =
  /(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|UNIQUE|SORT|PARTITION|CACHE|ROUTING|IDEMPOTENCY|OBJECT|HASH|ROW|RANGE|LOOKUP|HOST)$/;

/** Reports whether the name of a setting that may be a secret's ends before `at`, the position of `_KEY`. */
export function isSettingBefore(text: string, at: number): boolean {
  const name = SETTING.exec(text.slice(Math.max(0, at - 64), at))?.[0];
  return name !== undefined && !OTHER_KEY.test(name);
}
