import type { Migrations } from '../../../kernel/db.ts'
import { up as accounts } from './0001-accounts.ts'
import { up as credits } from './0002-credits.ts'
import { up as freeUses } from './0004-free-uses.ts'
import { up as endedSessions } from './0017-ended-sessions.ts'
import { up as keyRights } from './0024-key-rights.ts'
import { up as profiles } from './0025-profiles.ts'
import { up as standing } from './0029-standing.ts'
import { up as members } from './0031-members.ts'
import { up as passkeys } from './0035-passkeys.ts'
import { up as requests } from './0039-requests.ts'
import { up as keyMakers } from './0050-key-makers.ts'
import { up as boundKeys } from './0057-bound-keys.ts'
import { up as shops } from './0065-shops.ts'
import { up as pictures } from './0068-pictures.ts'

export const ACCOUNT_MIGRATIONS: Migrations = {
  '0001-accounts': accounts,
  '0002-credits': credits,
  '0004-free-uses': freeUses,
  '0017-ended-sessions': endedSessions,
  '0024-key-rights': keyRights,
  '0025-profiles': profiles,
  '0029-standing': standing,
  '0031-members': members,
  '0035-passkeys': passkeys,
  '0039-requests': requests,
  '0050-key-makers': keyMakers,
  '0057-bound-keys': boundKeys,
  '0065-shops': shops,
  '0068-pictures': pictures,
}
