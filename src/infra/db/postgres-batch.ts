import type { Duplex } from 'node:stream'
import type pg from 'pg'

export interface Statement {
  text: string
  /** Empty if the statement is not prepared. */
  name: string
  values: readonly (string | null)[]
}

export interface Answered {
  rows: Record<string, unknown>[]
  /** The tag as the server sends it, such as `INSERT 0 1`. */
  tag: string
}

type Columns = readonly { name: string; read(text: string): unknown }[]

/** The columns of each prepared statement of a connection, so that the server need not describe them again. */
export type KnownColumns = Map<string, Columns>

/** The connection of the library, which records the texts of prepared statements. */
interface Wire {
  readonly stream: Duplex
  readonly parsedStatements: Readonly<Record<string, string>>
  parse(statement: { name: string; text: string }): void
  bind(values: { statement: string; values: readonly (string | null)[] }): void
  describe(portal: { type: 'P' }): void
  execute(portal: Record<string, never>): void
  sync(): void
}

const NO_COLUMNS: Columns = []

/**
 * Statements sent in one message with a single sync at the end. If one fails, the server skips the rest; so if `begin` fails, no statement runs outside of
 * a transaction. All are answered together at the end, because nothing is committed before.
 */
export class Batch implements pg.Submittable {
  /** Resolves when the server has finished; after a failure it has the answers before the failure. */
  readonly done: Promise<{ answers: readonly Answered[]; error?: unknown }>
  readonly #statements: readonly Statement[]
  readonly #known: KnownColumns
  readonly #types: pg.CustomTypesConfig
  readonly #answers: Answered[] = []
  #columns = NO_COLUMNS
  #rows: Record<string, unknown>[] = []
  #unreadable: unknown
  #end!: (outcome: { answers: readonly Answered[]; error?: unknown }) => void

  constructor(
    statements: readonly Statement[],
    { known, types }: { known: KnownColumns; types: pg.CustomTypesConfig },
  ) {
    this.#statements = statements
    this.#known = known
    this.#types = types
    this.done = new Promise((resolve) => (this.#end = resolve))
  }

  /** When the server reports a prepared statement, the library records it under this name and text. */
  get name(): string {
    return this.#statements[this.#answers.length]?.name ?? ''
  }

  get text(): string {
    return this.#statements[this.#answers.length]?.text ?? ''
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    const isPrepared = new Set<string>()
    wire.stream.cork()
    try {
      this.#write(wire, isPrepared)
    } finally {
      wire.stream.uncork()
    }
  }

  #write(wire: Wire, isPrepared: Set<string>): void {
    for (const { name, text, values } of this.#statements) {
      if (name === '' || (wire.parsedStatements[name] === undefined && !isPrepared.has(name))) {
        wire.parse({ name, text })
        isPrepared.add(name)
      }
      wire.bind({ statement: name, values })
      if (!this.#known.has(name)) wire.describe({ type: 'P' })
      wire.execute({})
    }
    wire.sync()
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: this.#types.getTypeParser(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const columns = this.#known.get(this.name) ?? this.#columns
    const row: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) {
      const { name, read } = columns[at]!
      const value = fields[at]!
      row[name] = value === null ? null : this.#read(read, value)
    }
    this.#rows.push(row)
  }

  /** A value that cannot be read fails the batch. An exception in a socket's handler would end the process. */
  #read(read: (text: string) => unknown, value: string): unknown {
    try {
      return read(value)
    } catch (error) {
      this.#unreadable ??= error
      return null
    }
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleCommandComplete({ text: tag }: { text: string }): void {
    const { name } = this
    if (name !== '' && !this.#known.has(name)) this.#known.set(name, this.#columns)
    this.#answers.push({ rows: this.#rows, tag })
    this.#rows = []
    this.#columns = NO_COLUMNS
  }

  handleReadyForQuery(): void {
    this.#end({ answers: this.#answers, ...(this.#unreadable !== undefined && { error: this.#unreadable }) })
  }

  handleError(error: unknown): void {
    this.#end({ answers: this.#answers, error })
  }
}
