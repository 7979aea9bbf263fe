/** The digits of Arabic and Persian keyboards begin at these. */
const ARABIC = 0x660
const PERSIAN = 0x6f0

/** A decimal as people type it: many write a comma where others write a point, and not everybody writes these digits. */
export function readTypedDecimal(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const plain = value
    .replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - ARABIC))
    .replaceAll(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - PERSIAN))
    .replaceAll('\u066b', '.')
  return /^\s*[0-9]*,[0-9]*\s*$/.test(plain) ? plain.replace(',', '.') : plain
}
