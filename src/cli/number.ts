/** Reads a number from the command line. */
export function toNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value > max) throw new Error(`${name} is a number from 0 to ${max}.`)
  return value
}
