import qrcode from 'qrcode-generator';

/** The dark modules of a QR code, as `[column, row]`, and the number of modules per side. */
export interface QrCode {
  readonly side: number;
  readonly dark: readonly (readonly [number, number])[];
}

/** ISO/IEC 18004 with error correction M, in the smallest version that holds the text (ASCII, up to 2,331 characters). */
export function qrCode(text: string): QrCode {
  const code = qrcode(0, 'M');
  code.addData(text, 'Byte');
  code.make();
  const side = code.getModuleCount();
  const dark: (readonly [number, number])[] = [];
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) if (code.isDark(row, column)) dark.push([column, row]);
  }
  return { side, dark };
}
