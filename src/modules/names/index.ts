export { KNOWN_NAME } from './actions/known.ts'
export { NEVER, exchangesOf, loadBuiltIn } from './built-in.ts'
export { type LeaseStatus, type NameLease, showName, statusAt, toDay, toNameKey, toUnix } from './name.ts'
export { resolveNames } from './resolve-fields.ts'
export {
  findLease,
  insertLease,
  listLeasesOf,
  listUnreported,
  lockLease,
  markReported,
  updateIndexed,
  updateLease,
  updateProfile,
} from './store.ts'
export type { NamesModule } from './open.ts'
