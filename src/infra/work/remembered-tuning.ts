import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { keepFile } from '../private-files.ts'
import type { Tuning } from './tune.ts'

/** Keeps the fastest variant of the search from one start to the next. */
export interface TuningMemory {
  recall(): Tuning | undefined
  /** Returns whether it was stored. */
  keep(tuning: Tuning): boolean
}

/** A file that is valid only for the processor and the V8 version that it was measured with. */
export function rememberTuning(file: string): TuningMemory {
  const here = () => `${process.arch}, ${cpus()[0]?.model ?? 'unknown'}, V8 ${process.versions.v8}`
  return {
    recall: () => {
      const { measured, shape, rate, shapes } = readKept(file)
      const isWhole = measured === here() && typeof shape === 'string' && isRate(rate) && Array.isArray(shapes)
      return isWhole ? { shape, rate, shapes } : undefined
    },
    keep: ({ shape, rate, shapes }) => keepFile(file, JSON.stringify({ measured: here(), shape, rate, shapes })),
  }
}

const isRate = (rate: unknown): rate is number => typeof rate === 'number' && Number.isFinite(rate) && rate > 0

/** Empty if there is no such file, or if it contains something else. */
function readKept(file: string): Partial<Tuning> & { measured?: string } {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {}
  }
}
