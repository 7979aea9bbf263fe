/** Characters with which a spreadsheet begins a formula, also in their wide forms and behind what cannot be seen. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\t\r＝＋－＠]/u

/** Text written by others: never a formula, on any of its lines. */
export function safeText(text: string): string {
  return text
    .split('\n')
    .map((line) => (FORMULA.test(line) ? `'${line}` : line))
    .join('\n')
}

export function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** With a mark by which spreadsheets know what the bytes mean. */
export const toCsvHeader = (columns: readonly string[]) => `\uFEFF${columns.join(',')}\r\n`
