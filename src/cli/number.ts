/** Reads a number from the command line. */
export function toNumber(name: string, text: string, max: number, min = 0): number {
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value > max || value < min)
    throw new Error(`${name} is a number from ${min} to ${max}.`)
  return value
}
