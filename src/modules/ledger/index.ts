export { readBlock } from './read-block.ts'
