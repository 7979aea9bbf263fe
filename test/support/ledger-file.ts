import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { RAW_MAX } from '../../src/kernel/money.ts'
import { ZERO_HASH } from '../../src/kernel/nano/block.ts'

type Row = Record<string, string | number | null>

/** The contents of a ledger file, in an order that does not depend on how they were written. */
export interface LedgerDump {
  blocks: Row[]
  accounts: Row[]
  receivable: Row[]
  weights: Row[]
  totals: Row[]
}

/** Reads a ledger file without the code under test; another process may have it open. */
export function dumpLedger(file: string): LedgerDump {
  const db = new DatabaseSync(file)
  try {
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    // Without `position`, which only records the order of insertion.
    const blocks = `select hash, account, contents, link, balance, amount, subtype, height, epoch, timestamp, successor
      from blocks order by hash`
    const all = (sql: string) =>
      db
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }) as Row)
    return {
      blocks: all(blocks),
      accounts: all('select * from accounts order by account'),
      receivable: all('select * from receivable order by account, hash'),
      weights: all('select representative, weight from weights order by representative'),
      totals: all('select * from totals'),
    }
  } finally {
    db.close()
  }
}

const sum = (rows: Row[], column: string) => rows.reduce((total, row) => total + BigInt(row[column]!), 0n)

/** Invariants of every ledger at every moment. */
export function assertConsistent({ blocks, accounts, receivable, weights, totals }: LedgerDump): void {
  const byHash = new Map(blocks.map((row) => [row.hash, row]))
  const previousOf = (row: Row) => (JSON.parse(String(row.contents)) as { previous?: string }).previous ?? ZERO_HASH

  assert.equal(sum(accounts, 'balance') + sum(receivable, 'amount'), RAW_MAX, 'no raw is lost or made')
  const weightOf = new Map<string, bigint>()
  for (const { representative, balance } of accounts) {
    const name = String(representative)
    weightOf.set(name, (weightOf.get(name) ?? 0n) + BigInt(balance!))
  }
  const expected = [...weightOf].filter(([, weight]) => weight > 0n).map(([name, weight]) => [name, `${weight}`])
  const given = weights.map(({ representative, weight }) => [representative, weight])
  assert.deepEqual(given, expected.sort(), 'weights are the balances of those who delegate')

  const cemented = accounts.reduce((total, row) => total + Number(row.confirmed_height), 0)
  assert.deepEqual(totals, [{ id: 1, blocks: blocks.length, cemented, accounts: accounts.length }])

  let walked = 0
  for (const account of accounts) {
    let successor: unknown = ZERO_HASH
    let height = Number(account.block_count)
    for (let hash = String(account.head); hash !== ZERO_HASH; height--) {
      const row: Row | undefined = byHash.get(hash)
      assert.ok(row, `block ${hash} of a chain is missing`)
      assert.deepEqual([row.account, row.height, row.successor], [account.account, height, successor])
      if (height === account.block_count) assert.equal(row.balance, account.balance)
      if (height === account.confirmed_height) assert.equal(row.hash, account.confirmed_frontier)
      if (height === 1) assert.equal(row.hash, account.open_block)
      walked++
      successor = hash
      hash = previousOf(row)
    }
    assert.equal(height, 0, 'a chain goes down to its first block')
    if (account.confirmed_height === 0) assert.equal(account.confirmed_frontier, ZERO_HASH)
  }
  assert.equal(walked, blocks.length, 'every block belongs to one chain')

  const confirmedHeight = new Map(accounts.map((row) => [row.account, Number(row.confirmed_height)]))
  const isConfirmed = (row: Row) => Number(row.height) <= confirmedHeight.get(row.account)!
  const receives = new Map(blocks.filter((row) => row.subtype === 'receive').map((row) => [row.link, row]))
  const waiting = new Map(receivable.map((row) => [row.hash, row]))
  for (const send of blocks.filter((row) => row.subtype === 'send')) {
    const received = receives.get(send.hash)
    const open = waiting.get(send.hash)
    assert.ok(received === undefined || open === undefined, 'a send is received once')
    assert.ok(received !== undefined || open !== undefined, 'a send that nobody received is receivable')
    if (open) {
      assert.deepEqual([open.account, open.source, open.amount], [send.link, send.account, send.amount])
    }
    if (received) {
      assert.deepEqual([received.account, received.amount], [send.link, send.amount])
      if (isConfirmed(received)) assert.ok(isConfirmed(send), 'a confirmed receive stands on a confirmed send')
    }
    receives.delete(send.hash)
    waiting.delete(send.hash)
  }
  assert.deepEqual([receives.size, waiting.size], [0, 0], 'nothing is received that was not sent')
}
