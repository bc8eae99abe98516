import { wordsOf } from './context.js';

/** Names of telephones and their numbers. */
const PHONES =
  'phones?|t[eé]l(?:[eé](?:phones?|foo?n\\w{0,2}))?|mobiles?|cells?|fax|msisdn|whatsapp|sms|handy|hotline|helpline';
/** A name of a telephone, as a word of a name. */
export const PHONE_WORDS = wordsOf(PHONES);

/** Maximum distance before a number of such words. */
const BEFORE = 72;
const CALLS =
  'call|calling|dial|ring|text|reach|contact|rufnummer|anrufen?|erreichbar|gsm|móvil|celular|cellulare|portable|' +
  'телефон\\p{L}{0,3}|тел|电话|電話|手机|전화';
/** Characters and words allowed between the two. */
const BETWEEN =
  'numbers?|num|nrs?|nos?|nummer|n[uú]mero|n[°º]|is|was|ist|lautet|est|es|me|us|him|her|them|at|on|via|by|under|unter|au|al|' +
  'the|my|our|your|their|or|and|of|for|home|work|office|private|business|direct|line|customer|client|user|emergency';
/** The owner of the telephone. */
const WHOSE = '(?:of|de|del|von|van|di|da|du)\\s\\p{L}{1,15}';
const SIGNS = '[^\\p{L}\\p{N}\\n]';
const followedBy = (words: string): string => `(?:${SIGNS}{0,4}(?:${words})){0,4}`;
const SAID_BEFORE = new RegExp(
  `(?<![a-z])(?:(?:${PHONES})${followedBy(`${BETWEEN}|${WHOSE}`)}|(?:${CALLS})${followedBy(BETWEEN)})${SIGNS}{0,6}$`,
  'iu',
);
/** Contacts are counted as well: `Contacts: 2500-3000 a month`. */
const CONTACTS_BEFORE = new RegExp(`(?<![a-z])(?:contacts|contactos?|kontakte?)${SIGNS}{0,6}$`, 'iu');
const LONG_NUMBER = /^[+(]?\d{9}/;

/** Reports whether words directly before `at` announce a telephone number. */
export function isSaidPhone(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - BEFORE), at);
  return SAID_BEFORE.test(before) || (CONTACTS_BEFORE.test(before) && LONG_NUMBER.test(text.slice(at, at + 12)));
}
