/** Memory that V8 takes for each part of a parsed value, bytes; a little more than measured with the simplest of each. */
const OBJECT = 64;
const ARRAY = 40;
const KEY = 48;
const ITEM = 16;

/**
 * Estimates the memory that JSON text takes once it is parsed, from its punctuation; text that is not JSON gives any number.
 * Text of one kind takes up to twenty times its length, so that 64 MiB of `{},{},{}` would be 1.4 GiB.
 */
export function memoryNeeded(text: Uint8Array): number {
  let objects = 0;
  let arrays = 0;
  let keys = 0;
  let items = 0;
  for (let i = 0; i < text.length; i += 1) {
    switch (text[i]) {
      case 0x22:
        i = closingQuote(text, i + 1);
        break;
      case 0x2c:
        items += 1;
        break;
      case 0x3a:
        keys += 1;
        break;
      case 0x5b:
        arrays += 1;
        break;
      case 0x7b:
        objects += 1;
        break;
      default:
    }
  }
  return text.length + objects * OBJECT + arrays * ARRAY + keys * KEY + items * ITEM;
}

function closingQuote(text: Uint8Array, from: number): number {
  let i = from;
  for (; i < text.length && text[i] !== 0x22; i += 1) if (text[i] === 0x5c) i += 1;
  return i;
}
