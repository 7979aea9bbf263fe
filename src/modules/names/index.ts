export { KNOWN_NAME } from './actions/known.ts'
export { NameIndex } from './name-index.ts'
export { exchangesOf, loadBuiltIn } from './built-in-file.ts'
export { type BuiltIn, NEVER, readBuiltIn } from './domain/built-in.ts'
export { type Lease, type LeaseStatus, statusAt } from './domain/lease.ts'
export { toNameKey } from './domain/name.ts'
export { NAME_ACTIONS, type NamesModule, openNames } from './open.ts'
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
export { describedNameRoutes } from './routes.ts'
