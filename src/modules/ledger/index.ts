export { requireAccounts } from './identifiers.ts'
export { readBlock } from './blocks.ts'
