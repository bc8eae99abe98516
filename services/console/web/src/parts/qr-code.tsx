import qrcode from 'qrcode-generator';
import type { ReactNode } from 'react';

/** Light modules around the code (ISO/IEC 18004 section 6.3.8). */
const QUIET = 4;

/** A QR code with error correction M, dark on light in either colour scheme. @param text ASCII, up to 2,331 characters */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const code = qrcode(0, 'M');
  code.addData(text, 'Byte');
  code.make();
  const side = code.getModuleCount();
  let path = '';
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      if (code.isDark(row, column)) path += `M${column + QUIET} ${row + QUIET}h1v1h-1z`;
    }
  }
  const all = side + 2 * QUIET;
  return (
    <svg className="qr-code" role="img" aria-label={label} viewBox={`0 0 ${all} ${all}`} shapeRendering="crispEdges">
      <rect width={all} height={all} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
