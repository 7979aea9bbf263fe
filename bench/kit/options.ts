import { parseArgs } from 'node:util'

export interface Options {
  /** Short runs, one round: minutes for everything. */
  quick: boolean
  /** Puts figures and tables into the documents. */
  write: boolean
  /** Leaves out what was measured in the last hours. */
  resume: boolean
  /** Only resident memory, for reads. */
  memory: boolean
  stores: ('sqlite' | 'postgres')[]
  /** Gateway processes of each run. */
  processes: number[]
  seconds: number
  watched: number
  /** Confirmations a second. */
  rate: number
  /** The largest store of `growth`. */
  rows: number
}

const list = (text: string) => text.split(',').filter((part) => part !== '')

/** Reads the command line after the name of a bench. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      store: { type: 'string', default: 'sqlite,postgres' },
      processes: { type: 'string', default: '1,2,4' },
      seconds: { type: 'string' },
      watched: { type: 'string' },
      rate: { type: 'string', default: '1000' },
      rows: { type: 'string' },
    },
  })
  const { quick, write, resume, memory } = values
  // A million rows take a minute or two to write, on each engine.
  const many = quick ? '100000' : '1000000'
  return {
    quick,
    write,
    resume,
    memory,
    stores: list(values.store).map((store) => {
      if (store !== 'sqlite' && store !== 'postgres')
        throw new Error(`--store is sqlite, postgres or both, not ${store}.`)
      return store
    }),
    processes: list(values.processes).map((text) => readCount('--processes', text)),
    seconds: readCount('--seconds', values.seconds ?? (quick ? '2' : '8')),
    watched: readCount('--watched', values.watched ?? many),
    rate: readCount('--rate', values.rate),
    rows: readCount('--rows', values.rows ?? many),
  }
}

function readCount(name: string, text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`${name} is a whole number, not ${text}.`)
  return count
}
