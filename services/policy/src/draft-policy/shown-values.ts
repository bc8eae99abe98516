import { PII_KINDS } from '@countersign/contracts';
import { holdsSecret, normalText, PiiScanner } from '@countersign/policy-engine';

/** Addresses of machines are entries of lists like names of hosts. */
const SCANNER = new PiiScanner(PII_KINDS.filter((kind) => kind !== 'ip_address'));

/** Identifies one thing or person: digits, hexadecimal digits, a UUID, a long word of mixed characters. */
const IDENTIFIER = /\d{5}|[0-9a-f]{12}|[0-9a-f]{8}-[0-9a-f]{4}|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9_-]{20}/i;

/**
 * Reports whether a text of recorded arguments may be written into a policy: it is short, holds no address of a person,
 * no secret and no personal data that the engine finds, and identifies no single thing.
 */
export function mayBeShown(text: string): boolean {
  if (text.length === 0 || text.length > 256 || /[@\p{Cc}]/u.test(text) || IDENTIFIER.test(text)) return false;
  const normal = normalText(text);
  return !holdsSecret(normal) && SCANNER.spans(normal).length === 0;
}

const OF_PEOPLE = new Set(
  (
    'name names first last full surname nick user username login email mail phone mobile tel fax person people customer client ' +
    'patient employee member owner author contact recipient sender to from cc bcc reply payee payer beneficiary assignee ' +
    'account iban bic card pan cvv ssn tax birth birthday dob age gender sex address street city zip postcode postal passport ' +
    'licence license diagnosis condition medication password passwd pwd pass pin otp secret token key credential auth bearer ' +
    'who by approver reviewer manager doctor physician requester creator editor reporter seller buyer driver student teacher ' +
    'guest attendee participant candidate spouse child guardian ' +
    'cookie session signature message text body content comment note notes description subject title prompt query question'
  ).split(' '),
);

/** Words of a name: `customerId`, `customer_id` and `customer-id` have two. */
export const wordsOfName = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** Reports whether values of a member, by its name, may be about people, be secrets, or be texts that people wrote. */
export function isOfPeople(path: string): boolean {
  return path.split('.').some((name) => wordsOfName(name).some((word) => OF_PEOPLE.has(word)));
}

const OF_ONE = new Set(
  'id ids uuid guid no nr num number ref reference index idx page offset cursor line row seq sequence version port year month day hour minute second time timestamp ts date at until since code hash checksum seed lat lon lng latitude longitude'.split(
    ' ',
  ),
);

/** Reports whether a number of this name names or orders things, so that no bound of it means anything. */
export function isNumberOfOne(path: string): boolean {
  return wordsOfName(path.split('.').at(-1) ?? '').some((word) => OF_ONE.has(word));
}
