import type { Ledger } from './ledger.ts'
import type { LedgerOptions } from './options.ts'
import { startLedger } from './start-ledger.ts'

type Use<T> = (value: T) => Promise<void>

/** Fixtures of each test. `ledger` is reverted after the test; `ledgerOfFile` is the same ledger and is not reverted. */
export type LedgerFixtures = { ledger: Ledger; ledgerOfFile: Ledger }

/**
 * Fixtures for Vitest: `base.extend<LedgerFixtures>(ledgerFixtures())`. One ledger for each file, reverted after each test that uses it.
 * Tests that run side by side in a file need one each: `startLedger`.
 */
export function ledgerFixtures(options: LedgerOptions = {}) {
  return {
    ledgerOfFile: [
      // eslint-disable-next-line no-empty-pattern -- Vitest reads from it which fixtures this one needs.
      async ({}: object, use: Use<Ledger>): Promise<void> => {
        const ledger = await startLedger(options)
        await use(ledger)
        await ledger.close()
      },
      { scope: 'file' },
    ] as [(context: object, use: Use<Ledger>) => Promise<void>, { scope: 'file' }],
    ledger: async ({ ledgerOfFile }: { ledgerOfFile: Ledger }, use: Use<Ledger>): Promise<void> =>
      ledgerOfFile.around(() => use(ledgerOfFile)),
  }
}
