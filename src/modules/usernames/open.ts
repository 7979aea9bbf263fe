import { type Module, offer } from '../../kernel/module.ts'
import type { BillingModule } from '../billing/index.ts'
import type { NamesModule } from '../names/index.ts'
import { getName } from './actions/get-name.ts'
import { updateName } from './actions/update-name.ts'
import { NAME_UPDATE, changeName } from './domain/change-name.ts'
import { NAME, leaseName } from './domain/lease-name.ts'
import { remindOfEnds } from './jobs.ts'
import type { UsernameRoom } from './room.ts'
import { namePages } from './routes/dashboard.tsx'
import type { UsernameSettings } from './settings.ts'

export const USERNAME_ACTIONS = [getName, updateName]

interface UsernamePorts {
  billing: BillingModule
  names: Pick<NamesModule, 'tellChanged' | 'learn'>
  /** Where links to this service begin. */
  baseUrl(): string
}

export interface UsernamesModule extends Module {
  usernames: UsernameRoom
}

/** Names that are leased, extended and changed. */
export function openUsernames(
  { billing, names, baseUrl }: UsernamePorts,
  { namePlans, nameUpdatePrice }: UsernameSettings,
): UsernamesModule {
  const learn = ({ subject }: { subject: string }) => names.learn(subject)
  const onChange = (key: string) => names.tellChanged(key)
  billing.sells({ kind: NAME, fulfil: leaseName(onChange), learn })
  billing.sells({ kind: NAME_UPDATE, fulfil: changeName(onChange), learn })
  const { offers, resumeOrder } = billing
  const room: UsernameRoom = { ...offers, namePlans, nameUpdatePrice, resumeOrder }
  return {
    ...offer('usernames', room, USERNAME_ACTIONS),
    usernames: room,
    pages: namePages(room),
    jobs: [remindOfEnds(offers.checkouts, baseUrl)],
  }
}
