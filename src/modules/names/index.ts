import type { Module } from '../../kernel/module.ts'
import { aliases } from './actions/aliases.ts'
import { known } from './actions/known.ts'

export const names: Module = { name: 'names', actions: [known, aliases] }

export { KNOWN_NAME } from './actions/known.ts'
export { NameBook } from './book.ts'
export { type BuiltIn, NEVER, readBuiltIn } from './domain/built-in.ts'
export { type Lease, type LeaseStatus, statusAt } from './domain/lease.ts'
export { toNameKey } from './domain/name.ts'
export { resolveNames } from './resolve-fields.ts'
export { showName, toDay, toUnix } from './shape-name.ts'
export {
  findLease,
  insertLease,
  listLeasesOf,
  listUntold,
  lockLease,
  markTold,
  updateLease,
  updateProfile,
} from './store.ts'
export { describedNameRoutes, nameRoutes } from './routes.ts'
