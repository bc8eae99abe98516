/** Maximum distance before a number of words that identify it as something else. */
const BEFORE = 72;
const AFTER = 16;

/** Codes of ISO 4217, as they are written, and names and signs of currencies. */
const CODES =
  'USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|CAD|AUD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|BRL|MXN|ARS|CLP|COP|PEN|ZAR|' +
  'KRW|SGD|HKD|TWD|THB|IDR|MYR|PHP|VND|ILS|AED|SAR|QAR|EGP|NGN|KES|MAD';
const NAMES =
  '[Ee]uros?|[Dd]ollars?|[Pp]ounds?|[Ff]rancs?|[Ff]ranken|[Yy]en|[Yy]uan|[Rr]upees?|[Pp]esos?|[Rr]eais|[Kk]ron(?:or|er|en)|' +
  '[Kk]r|[Zz][łl](?:otych)?|Kč|Ft|[Ll]ei|лв|руб(?:лей|ля|\\.)?|грн|Rs';
const SIGN = '[$€£¥₩₪₫₱₴₸₹₺₽₾฿]';
const MONEY_BEFORE = new RegExp(
  `(?:${SIGN}|(?<![A-Za-z])(?:${CODES}|${NAMES})\\.?)[ \\t]?[-+]?(?:\\d{1,3}[ .,']){0,4}$`,
);
const MONEY_AFTER = new RegExp(
  `^(?:[ .,']\\d{3}){0,3}(?:[.,]\\d{1,2})?[ \\t]?(?:${SIGN}|(?:${CODES}|${NAMES})(?![A-Za-z]))`,
);

/**
 * Reports whether a currency is next to the digits from `at` to `end`, or next to the longer number that they are part
 * of.
 */
export function isMoney(text: string, at: number, end: number): boolean {
  return MONEY_BEFORE.test(text.slice(Math.max(0, at - BEFORE), at)) || MONEY_AFTER.test(text.slice(end, end + AFTER));
}

const NUMBER_WORD = 'no|nr|num|number|id|code|ref|reference';
const PARCEL = [
  '[mh]?awb|air[ _-]?way[ _-]?bill|way[ _-]?bill|tracking|track[ _-]?(?:and|&)[ _-]?trace',
  `(?:parcel|shipment|consignment|package|container|pallet)[ _-]?(?:${NUMBER_WORD})`,
  '(?:sendungs?|paket|frachtbrief)[ _-]?(?:nummer|nr)|sendungsverfolgung',
  '(?:num[ée]ro|n°) de (?:suivi|colis)|n[úu]mero de (?:seguimiento|env[íi]o|gu[íi]a)',
].join('|');
/** Such words, directly before the number or before groups that belong to it. */
const PARCEL_BEFORE = new RegExp(
  `(?<![a-z])(?:${PARCEL})(?:[ _-]?(?:${NUMBER_WORD}))?s?["']?[.:#=]{0,2}[ \\t]{0,2}(?:(?:is|ist|was) )?["'#]?(?:\\d{2,12}[ -]){0,5}$`,
  'i',
);

/** Reports whether the words before a number identify it as a carrier's: an air waybill, a parcel, a consignment. */
export function isParcelNumber(text: string, at: number): boolean {
  return PARCEL_BEFORE.test(text.slice(Math.max(0, at - BEFORE), at));
}

const NAMED_OTHERWISE =
  'ids?|identifiers?|orders?|invoices?|tickets?|cases?|parts?|items?|articles?|skus?|serials?|batch(?:es)?|lots?|po|' +
  'rooms?|models?|ref(?:erence)?s?|ranges?|pages?|timestamps?|bestellung|auftrag|rechnung|artikel|teil|seiten?|commande|' +
  'facture|pedido|factura|fattura|ordine';
/** Such words, directly before the number or before others in a list with it. */
const NAMED_OTHERWISE_BEFORE = new RegExp(
  `(?<![a-z])(?:${NAMED_OTHERWISE})(?:s?[ _-]?(?:${NUMBER_WORD}|nummer|n°))?s?["']?[.:#=]{0,2}[ \\t]{0,2}(?:(?:is|ist|was) )?["'#([]?` +
    '(?:\\d[\\d-]{2,12}(?: \\d{2,6}){0,2}[,;] (?:and |or |und )?){0,3}$',
  'i',
);

/** Reports whether the words before a number identify it as a count or an identifier: an order, a part, a page. */
export function isNamedOtherwise(text: string, at: number): boolean {
  return NAMED_OTHERWISE_BEFORE.test(text.slice(Math.max(0, at - BEFORE), at));
}

/** Things that have sections or versions in four parts. */
const NUMBERED =
  'sections?|sec|chapters?|clauses?|articles?|art|paragraphs?|para|annex|appendix|fig(?:ure)?s?|steps?|requirements?|controls?|' +
  'versions?|ver|v|releases?|builds?|firmware|fw|revisions?|rev|patch|kapitel|abschnitte?s?|absatz|ziffer|punkt|' +
  'abbildung|chapitre|secci[óo]n|cap[íi]tulo|apartado|sezione|versi[óo]n|versione|vers[ãa]o';
const NUMBERED_BEFORE = new RegExp(
  `(?:§|(?<![a-z])(?:${NUMBERED}))["']?\\.?[ \\t]{0,2}[:=#]?[ \\t]{0,2}["'(]?` +
    '(?:\\d{1,4}(?:\\.\\d{1,4}){1,5}(?:,|;| ?[-–→/]| ->)?(?: (?:and|or|to|through|und|oder|bis|auf|et|à|ou|y|o|a))? ){0,3}$',
  'i',
);
/** An operator of package managers before it; the name of a product whose minor version parts follow. */
const PINNED_BEFORE = /(?:[=~<>!^]=|~>|\^)[ \t]?$/;
const PRODUCT_BEFORE = /[A-Za-z]\/$/;
const RELEASE_AFTER = /^[-_+](?:alpha|beta|rc|pre|dev|snapshot|release|final|ga)/i;

/** Reports whether the surroundings of four decimal parts identify them as the number of a section or a version. */
export function isSectionOrVersion(text: string, at: number, end: number): boolean {
  const before = text.slice(Math.max(0, at - BEFORE), at);
  if (NUMBERED_BEFORE.test(before) || PINNED_BEFORE.test(before)) return true;
  if (RELEASE_AFTER.test(text.slice(end, end + AFTER))) return true;
  return PRODUCT_BEFORE.test(before) && text.slice(at, end).endsWith('.0.0.0');
}
