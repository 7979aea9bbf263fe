export { readChanges } from './wire-fields.ts'
