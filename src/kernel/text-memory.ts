/** Bytes that a text takes in memory: one per character, or two if any character does not fit into a byte. */
export function memoryOf(text: string): number {
  // oxlint-disable-next-line no-control-regex -- these are all characters of one byte.
  return /[^\u0000-\u00ff]/.test(text) ? text.length * 2 : text.length
}
