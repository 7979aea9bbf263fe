import { parseArgs } from 'node:util'
import { SEED } from '../support/random.ts'

/** Reads the command line of `npm run chaos`. */
export function readOptions(args: readonly string[]): { minutes: number; seed: number } {
  const { values } = parseArgs({ args: [...args], options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
  const minutes = Number(values.minutes ?? 10)
  const seed = Number(values.seed ?? SEED)
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('Usage: npm run chaos -- --minutes 10 --seed 7')
  return { minutes, seed }
}
