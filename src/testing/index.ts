/* The package `@nano-gateway/devnet`: the development ledger for other people's tests. */
export type { LedgerAccount, Recipient } from './account.ts'
export { type Amount, LedgerError, nano, raw } from './call-ledger.ts'
export { type Fault, Ledger, type LedgerState } from './ledger.ts'
export type { KnownAccount, LedgerOptions } from './options.ts'
export { startLedger } from './start-ledger.ts'
