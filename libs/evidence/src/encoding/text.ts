const encoder = new TextEncoder();

/** UTF-8 bytes of `text`. Lone surrogates become U+FFFD: check {@link isWellFormed} first where it matters. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Reports whether `text` holds no lone surrogate, so that its UTF-8 form means the same string. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/** Bytes of the UTF-8 form of `text`, without making it. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) length += 1;
    else if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      length += 2;
      i += 1;
    } else length += 2;
  }
  return length;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
