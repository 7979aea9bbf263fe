export { NAME_UPDATE } from './domain/change-name.ts'
export { readChanges } from './wire-fields.ts'
