/* The package `@nano-gateway/devnet`: the development ledger for other people's tests. */
export type { LedgerAccount, Recipient } from './account.ts'
export { type Amount, nano, raw } from './amounts.ts'
export { type Fault, Ledger, type LedgerState } from './ledger.ts'
export { LedgerError } from './ledger-error.ts'
export type { KnownAccount, LedgerOptions } from './options.ts'
export { startLedger } from './start-ledger.ts'
