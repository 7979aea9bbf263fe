import { parseArgs } from 'node:util'
import { SEED } from '../support/random.ts'

export interface Options {
  cuts: number
  steps: number
  seed: number
  lies: boolean
}

/** Reads the command line of `npm run power-loss`. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      cuts: { type: 'string', default: '500' },
      steps: { type: 'string', default: '40' },
      seed: { type: 'string', default: String(SEED) },
      lies: { type: 'boolean', default: false },
    },
  })
  const [cuts, steps, seed] = [Number(values.cuts), Number(values.steps), Number(values.seed)]
  if (![cuts, steps].every((count) => Number.isSafeInteger(count) && count > 0) || !Number.isSafeInteger(seed)) {
    throw new Error('Usage: npm run power-loss -- --cuts 500 [--steps 40] [--seed 7] [--lies]')
  }
  return { cuts, steps, seed, lies: values.lies }
}
