export { requireAccounts } from './identifiers.ts'
export { readBlock } from './read-block.ts'
