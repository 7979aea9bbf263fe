import type { Module } from '../../kernel/module.ts'
import { getName } from './actions/get-name.ts'
import { updateName } from './actions/update-name.ts'

export { getName } from './actions/get-name.ts'

export const usernames: Module = { name: 'usernames', actions: [getName, updateName] }

export { NAME_UPDATE, changeName } from './domain/change-name.ts'
export { NAME, leaseName } from './domain/lease-name.ts'
export { offerName } from './domain/offer-name.ts'
export { remindOfEnds } from './jobs.ts'
export { readChanges } from './wire-fields.ts'
export { namePages } from './routes/dashboard.tsx'
