import type { Ledger } from './ledger.ts'
import type { LedgerOptions } from './options.ts'
import { startLedger } from './start-ledger.ts'

type Use<T> = (value: T) => Promise<void>

/** Fixtures of each test. */
export interface LedgerFixtures {
  ledger: Ledger
}

/** Fixtures of each worker. `ledgerOptions` may be set in `use` of the configuration. */
export interface LedgerWorkerFixtures {
  ledgerOptions: LedgerOptions
  ledgerOfWorker: Ledger
}

/**
 * Fixtures for Playwright: `base.extend<LedgerFixtures, LedgerWorkerFixtures>(ledgerFixtures())`. One ledger for each worker,
 * in a process of its own, reverted after each test that uses it.
 */
export function ledgerFixtures(options: LedgerOptions = {}) {
  return {
    ledgerOptions: [options, { option: true, scope: 'worker' }] as [LedgerOptions, { option: true; scope: 'worker' }],
    ledgerOfWorker: [
      async ({ ledgerOptions }: { ledgerOptions: LedgerOptions }, use: Use<Ledger>): Promise<void> => {
        const ledger = await startLedger({ ownProcess: true, ...ledgerOptions })
        await use(ledger)
        await ledger.close()
      },
      { scope: 'worker' },
    ] as [(fixtures: { ledgerOptions: LedgerOptions }, use: Use<Ledger>) => Promise<void>, { scope: 'worker' }],
    ledger: async ({ ledgerOfWorker }: { ledgerOfWorker: Ledger }, use: Use<Ledger>): Promise<void> =>
      ledgerOfWorker.around(() => use(ledgerOfWorker)),
  }
}
