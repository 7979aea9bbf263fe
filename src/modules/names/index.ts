export { KNOWN_NAME } from './actions/known.ts'
export { exchangesOf, loadBuiltIn } from './built-in-file.ts'
export { NEVER } from './domain/built-in.ts'
export { toNameKey } from './domain/name.ts'
export { type NameLease, type LeaseStatus, statusAt } from './domain/lease.ts'
export { resolveNames } from './resolve-fields.ts'
export { showName, toDay, toUnix } from './shape-name.ts'
export {
  findLease,
  insertLease,
  listLeasesOf,
  listUntold,
  lockLease,
  markTold,
  updateIndexed,
  updateLease,
  updateProfile,
} from './store.ts'
export type { NamesModule } from './open.ts'
