export { LEDGER_ACTIONS, openLedger } from './open.ts'
export { readBlock } from './read-block.ts'
