import type { ListedSigningKey } from '@countersign/service-kit';
import type { SigningKeyAnswer, SigningKeyRequest } from './signing-key-request.js';

const LOCATIONS: Readonly<Record<ListedSigningKey['custody'], string>> = {
  file: 'file',
  signer: 'external signer',
  none: 'verifies only',
  missing: 'missing',
};

/** One line per key, oldest first, below a line of headings. */
export function showKeys(keys: readonly ListedSigningKey[]): string {
  const rows = keys.map(({ id, status, validFrom, validTo, custody, revokedFor }) => [
    id,
    status,
    validFrom ?? 'its beginning',
    validTo ?? 'open',
    LOCATIONS[custody],
    revokedFor ?? '',
  ]);
  const lines = [['key', 'status', 'valid from', 'valid to', 'private key', 'revoked for'], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  return `${text.join('\n')}\n`;
}

/** The change, and what the operator must know about it. */
export function showKeyChange(request: SigningKeyRequest, answer: SigningKeyAnswer): string {
  return showDone(request, answer) + showMissing(answer);
}

/** Advice for keys in use whose private halves are missing. */
function showMissing({ keys }: SigningKeyAnswer): string {
  const missing = keys.filter(({ custody }) => custody === 'missing');
  return missing
    .map(({ id, status }) => {
      const act = status === 'active' ? '`keys rotate`' : `\`keys revoke ${id}\``;
      return `${id} is ${status} and its private half is missing: put it back, or ${act}; reporting does not start before\n`;
    })
    .join('');
}

function showDone(request: SigningKeyRequest, { keyId, keys }: SigningKeyAnswer): string {
  const active = keys.find(({ status }) => status === 'active')?.id ?? null;
  switch (request.act) {
    case 'list':
      return active === null && keys.length > 0 ? 'no key is active: exports are refused until `keys rotate`\n' : '';
    case 'create':
      return `${keyId} is published; it signs from the next \`keys rotate\` on\n`;
    case 'rotate':
      return `${keyId} signs from now on\n`;
    case 'revoke':
      return active === null
        ? `${keyId} is revoked. No key is active: exports are refused until \`keys rotate\`\n`
        : `${keyId} is revoked; ${active} signs\n`;
  }
}
