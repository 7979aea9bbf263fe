/** Characters that begin a formula in a spreadsheet, also as full-width characters and after invisible ones. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\t\r＝＋－＠]/u

/** Makes sure that no line of a text written by others is a formula. */
export function safeText(text: string): string {
  return text
    .split('\n')
    .map((line) => (FORMULA.test(line) ? `'${line}` : line))
    .join('\n')
}

export function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Starts with the byte order mark, by which spreadsheets recognise UTF-8. */
export const toCsvHeader = (columns: readonly string[]) => `\uFEFF${columns.join(',')}\r\n`
