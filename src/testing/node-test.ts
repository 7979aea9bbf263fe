import { after, afterEach, before, beforeEach } from 'node:test'
import type { Ledger } from './ledger.ts'
import type { LedgerOptions } from './options.ts'
import { startLedger } from './start-ledger.ts'

/*
 * Helpers for `node:test`.
 */

/**
 * A ledger for the tests of this file, or of the suite in which it is called. It starts before the tests, each test
 * begins with the same state, and it ends after them. Tests that run side by side need one each: `ledgerFor`.
 */
export function useLedger(options: LedgerOptions = {}): Ledger {
  let ledger: Ledger | undefined
  const snapshots: string[] = []
  before(async () => {
    ledger = await startLedger(options)
  })
  beforeEach(async () => {
    snapshots.push(await ledger!.snapshot())
  })
  afterEach(async () => {
    await ledger!.revert(snapshots.pop()!, { end: true })
  })
  after(async () => {
    await ledger?.close()
  })
  return lend(() => {
    if (!ledger) throw new Error('The ledger starts before the first test: use it inside one, or in a hook.')
    return ledger
  })
}

/** A ledger for one test, which ends with it. */
export async function ledgerFor(
  t: { after(end: () => Promise<void>): void },
  options: LedgerOptions = {},
): Promise<Ledger> {
  const ledger = await startLedger(options)
  t.after(() => ledger.close())
  return ledger
}

/** A placeholder until the ledger exists. */
function lend(find: () => Ledger): Ledger {
  return new Proxy({} as Ledger, {
    get(_none, name) {
      const ledger = find()
      const member: unknown = Reflect.get(ledger, name)
      return typeof member === 'function' ? (member.bind(ledger) as unknown) : member
    },
  })
}
