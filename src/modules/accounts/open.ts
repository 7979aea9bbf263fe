import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { Logos, Mailer, Notices, Prices, SecretBox } from '../../kernel/ports.ts'
import type { Retention } from '../../kernel/retention.ts'
import { rpcCredits } from './actions/rpc-credits.ts'
import { rpcKey } from './actions/rpc-key.ts'
import { type PictureUploads, pictureUploads } from './domain/pictures.ts'
import { Sessions } from './domain/sessions.ts'
import { forgetExpired, mailInvitations, mailProofCode, mailSignInLink, releaseReservations, sendMail } from './jobs.ts'
import { RequestLog } from './requests/log.ts'
import { StoredKeys } from './stored-keys.ts'
import type { AccountContext } from './context.ts'
import type { AccountSettings } from './settings.ts'
import { activityPages, activityRoutes } from './routes/activity.tsx'
import { accountRoutes } from './routes/api.ts'
import { operatorRoutes } from './routes/operator.ts'
import { keyPages } from './routes/keys.tsx'
import { memberRoutes, peoplePages } from './routes/people.tsx'
import { passkeyRoutes } from './routes/passkeys-api.ts'
import { securityPages } from './routes/security.tsx'
import { placePages } from './routes/places.tsx'
import { provePages } from './routes/prove.tsx'
import { profilePages, profileRoutes } from './routes/profile.tsx'
import { requestPages, requestRoutes } from './routes/requests.tsx'
import { signInPages } from './routes/sign-in.tsx'
import { STANDING_NOTICE } from './standing.ts'
import { UsageMeter } from './usage.ts'

/** Notifies the other instances that an account has got credits. */
const CREDITS_NOTICE = 'credits'

export const ACCOUNT_ACTIONS = [rpcKey, rpcCredits]

interface AccountPorts extends AccountContext {
  store: StoreCtx
  notices: Notices
  mailer: Mailer
  secrets: SecretBox
  logos: Logos
  prices: Pick<Prices, 'currencies'>
  usualAddress(accountId: string): Promise<string | undefined>
  /** Whether the ledger is the development ledger. */
  isPlay: boolean
}

export interface AccountsModule extends Module {
  keys: StoredKeys
  sessions: Sessions
  usage: UsageMeter
  requests: RequestLog
  uploads: PictureUploads
  /** Notifies every instance that an account has got credits, so that it counts as prepaid at once. */
  announceCredits(accountId: string): void
  /** Notifies every instance that the operator has changed an account's rights. */
  announceStanding(accountId: string): void
}

/** Opens the accounts module, which identifies callers by keys and sessions and counts what they use and have paid for. */
export function openAccounts(
  { store, notices, mailer, secrets, logos, usualAddress, prices, baseUrl, keepsMail, isPlay }: AccountPorts,
  { passkeysRequired: required, ...kept }: AccountSettings & Pick<Retention, 'keepRequests'>,
): AccountsModule {
  const keys = new StoredKeys(store)
  const profile = { store, logos, prices, baseUrl, isPlay }
  const sessions = new Sessions({ ...store, secrets, passkeysRequired: required })
  const usage = new UsageMeter(store)
  const requests = new RequestLog(store)
  const logged = { store, flush: () => requests.flush() }
  notices.subscribe('key', (hash) => keys.forget(hash))
  notices.subscribe(CREDITS_NOTICE, (accountId) => keys.forgetAccount(accountId))
  notices.subscribe(STANDING_NOTICE, (accountId) => keys.forgetAccount(accountId))
  notices.onGap(() => keys.forgetAll())
  const announceStanding = (accountId: string) => notices.publish(STANDING_NOTICE, accountId)
  return {
    ...offer<AccountContext>('accounts', { baseUrl, keepsMail }, ACCOUNT_ACTIONS),
    keys,
    sessions,
    usage,
    requests,
    uploads: pictureUploads(profile),
    routes: [
      ...accountRoutes({ store, sessions, notices, baseUrl, required }),
      ...passkeyRoutes({ store, sessions, baseUrl, required }),
      ...profileRoutes(profile),
      ...memberRoutes({ store, announceStanding, baseUrl }),
      ...activityRoutes({ store }),
      ...requestRoutes(logged),
      ...operatorRoutes({ store, announceStanding }),
    ],
    pages: [
      ...signInPages({ store, keys, sessions, baseUrl, devnet: isPlay, mailIsKept: keepsMail, required }),
      ...keyPages({ store, notices, usualAddress }),
      ...profilePages(profile),
      ...peoplePages({ store, announceStanding, baseUrl, keepsMail }),
      ...placePages({ store, sessions, announceStanding }),
      ...provePages({ store, keys, sessions, required, baseUrl }),
      ...securityPages({ store, required, baseUrl }),
      ...activityPages({ store }),
      ...requestPages(logged),
    ],
    announceStanding,
    announceCredits: (accountId) => {
      notices.publish(CREDITS_NOTICE, accountId)
      store.notifyAccount(accountId, ['reports'])
    },
    jobs: [
      sendMail(mailer),
      mailSignInLink(store, mailer, required),
      mailProofCode(store, mailer),
      mailInvitations(store, mailer),
      releaseReservations(store),
      forgetExpired(store, kept),
    ],
    close: async () => {
      await keys.close()
      await usage.close()
      await requests.flush()
    },
  }
}
