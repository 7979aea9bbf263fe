/** Characters with which a spreadsheet begins a formula, also in their wide forms and behind invisible characters. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\t\r＝＋－＠]/u

/** Makes sure that text written by others is never a formula, on any of its lines. */
export function safeText(text: string): string {
  return text
    .split('\n')
    .map((line) => (FORMULA.test(line) ? `'${line}` : line))
    .join('\n')
}

export function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Begins with the byte order mark by which spreadsheets recognise UTF-8. */
export const toCsvHeader = (columns: readonly string[]) => `\uFEFF${columns.join(',')}\r\n`
