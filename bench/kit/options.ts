import { parseArgs } from 'node:util'

export interface Options {
  /** More turns, and ten times the rows and requests. */
  long: boolean
  /** Writes figures and tables into the documents. */
  write: boolean
  /** Skips benches that were measured in the last hours. */
  resume: boolean
  /** With cost: compares with bench/figures.json and fails if an operation became more expensive. */
  check: boolean
  /** With cost: groups of rows. */
  only: string[]
  stores: ('sqlite' | 'postgres')[]
  seconds: number
  watched: number
  /** Confirmations a second. */
  rate: number
  /** The largest store of `growth`. */
  rows: number
  /** Undefined if not given; each bench has its own default. */
  rowsGiven: number | undefined
}

const list = (text: string) => text.split(',').filter((part) => part !== '')

/** Reads the options after the bench's name. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      long: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      store: { type: 'string', default: 'sqlite,postgres' },
      seconds: { type: 'string' },
      watched: { type: 'string' },
      rate: { type: 'string', default: '1000' },
      rows: { type: 'string' },
    },
  })
  const { long, write, resume, check } = values
  // A million rows take one or two minutes to write on each engine.
  const many = long ? '1000000' : '100000'
  return {
    long,
    write,
    resume,
    check,
    only: list(values.only),
    stores: list(values.store).map((store) => {
      if (store !== 'sqlite' && store !== 'postgres')
        throw new Error(`--store is sqlite, postgres or both, not ${store}.`)
      return store
    }),
    seconds: readCount('--seconds', values.seconds ?? (long ? '8' : '2')),
    watched: readCount('--watched', values.watched ?? many),
    rate: readCount('--rate', values.rate),
    rows: readCount('--rows', values.rows ?? many),
    rowsGiven: values.rows === undefined ? undefined : readCount('--rows', values.rows),
  }
}

function readCount(name: string, text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`${name} is a whole number, not ${text}.`)
  return count
}
