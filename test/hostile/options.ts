import { parseArgs } from 'node:util'
import { SEED } from '../support/random.ts'

const INPUTS = 200_000

/** Reads the command line of `npm run fuzz`. */
export function readOptions(args: readonly string[]): { inputs: number; seed: number } {
  const { values } = parseArgs({ args: [...args], options: { inputs: { type: 'string' }, seed: { type: 'string' } } })
  const inputs = Number(values.inputs ?? INPUTS)
  const seed = Number(values.seed ?? SEED)
  if (!(inputs > 0) || !Number.isSafeInteger(inputs) || !Number.isSafeInteger(seed)) {
    throw new Error('Usage: npm run fuzz -- --inputs 200000 --seed 7')
  }
  return { inputs, seed }
}
