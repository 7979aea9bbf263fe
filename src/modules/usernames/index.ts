export { getName } from './actions/get-name.ts'

export { NAME_UPDATE, changeName } from './domain/change-name.ts'
export { NAME, leaseName } from './domain/lease-name.ts'
export { offerName } from './domain/offer-name.ts'
export { USERNAME_ACTIONS, type UsernamesModule, openUsernames } from './open.ts'
export type { UsernameRoom } from './room.ts'
export { readChanges } from './wire-fields.ts'
