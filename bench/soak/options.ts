import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SEED } from '../../test/support/random.ts'

export interface SoakOptions {
  minutes: number
  seed: number
  /** File for the samples. */
  csv: string
  /** File with samples of an earlier run, to be used instead of a new run. */
  read: string | undefined
  write: boolean
}

export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(SEED) },
      csv: { type: 'string', default: join(tmpdir(), 'nano-gateway-soak.csv') },
      read: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  })
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
  if (!(minutes >= 1) || !Number.isSafeInteger(seed)) throw new Error('Usage: npm run soak -- --minutes 60 --seed 7')
  return { ...values, read: values.read, minutes, seed }
}
