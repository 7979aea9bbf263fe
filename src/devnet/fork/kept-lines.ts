import { hashBlock } from '../../kernel/nano/block.ts'
import { verifyHash } from '../../kernel/nano/keys.ts'
import { refusal } from '../../kernel/nano/node-refusal.ts'
import { type Row, toStoredBlock } from '../rows.ts'
import type { Statements } from '../statements.ts'
import type { Origin } from './node-reader.ts'

/* What was read from a forked node, as lines of a dumped ledger: the table, and its values without a bracket in sight. */

const TABLES = ['fork_origin', 'fork_blocks', 'fork_accounts', 'fork_receivable']

export function writeKept(statements: Statements): string[] {
  return TABLES.flatMap((table) =>
    statements
      .all(`select * from ${table}`)
      .map((row) => `${table} ${Buffer.from(JSON.stringify(Object.entries(row))).toString('base64')}`),
  )
}

/** Puts lines in the place of what was kept. Blocks have to be what their hash says, and signed; the rest is believed as the node was. */
export function readKept(statements: Statements, lines: readonly string[], { genesis, epochSigners }: Origin): void {
  for (const table of TABLES) statements.run(`delete from ${table}`)
  for (const [index, line] of lines.entries()) {
    const [table = '', encoded = ''] = line.split(' ')
    const known = TABLES.includes(table) ? readRow(statements, table, encoded) : undefined
    if (!known) throw refusal(`state.kept.${index} is no line of a forked ledger`)
    if (table === 'fork_origin' && (JSON.parse(String(known.origin)) as Origin).genesis !== genesis) {
      throw refusal('state.kept is of another network')
    }
    if (table === 'fork_blocks' && !isGenuine(known, epochSigners))
      throw refusal(`state.kept.${index} is no signed block`)
    const places = Object.keys(known).map(() => '?')
    const values = Object.values(known) as (string | number | null)[]
    statements.run(`insert into ${table} values (${places.join(', ')})`, ...values)
  }
}

function readRow(statements: Statements, table: string, encoded: string): Row | undefined {
  const columns = statements.all(`select name from pragma_table_info('${table}')`).map(({ name }) => name)
  try {
    const row = Object.fromEntries(JSON.parse(Buffer.from(encoded, 'base64').toString()) as [string, string][]) as Row
    const names = Object.keys(row)
    const fits = names.length === columns.length && names.every((name, at) => name === columns[at])
    const isPlain = Object.values(row).every((value) => value === null || ['string', 'number'].includes(typeof value))
    return fits && isPlain ? row : undefined
  } catch {
    // No line that we have written.
    return undefined
  }
}

function isGenuine(row: Row, epochSigners: readonly string[]): boolean {
  try {
    const { hash, block, account, balance } = toStoredBlock(row)
    if (hashBlock(block) !== hash || ('balance' in block && block.balance !== balance)) return false
    return [account, ...epochSigners].some((key) => verifyHash(key, hash, block.signature))
  } catch {
    // Not even the form of a block.
    return false
  }
}
