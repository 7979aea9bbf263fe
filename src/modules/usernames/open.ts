import { overLimit } from '../../kernel/errors.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { mailJob } from '../../kernel/mail-job.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { Mailer } from '../../kernel/ports.ts'
import type { RouteLimit } from '../../kernel/route.ts'
import type { BillingModule, Fulfil } from '../billing/index.ts'
import type { NamesModule } from '../names/index.ts'
import { getName } from './actions/get-name.ts'
import { updateName } from './actions/update-name.ts'
import { NAME_UPDATE, changeName } from './domain/change-name.ts'
import { NAME, leaseName } from './domain/lease-name.ts'
import { type AskedNotice, MAIL_NOTICE, mailNotice, remindOwners } from './domain/remind.ts'
import type { UsernameContext } from './context.ts'
import { nameRoutes } from './routes/api.ts'
import { namePages } from './routes/dashboard.tsx'
import { publicNameRoutes } from './routes/public.tsx'
import type { UsernameSettings } from './settings.ts'

export const USERNAME_ACTIONS = [getName, updateName]

/** Page views that one network address may make in a minute. */
const LOOKS_PER_MINUTE = 120
const LOOKS: RouteLimit = {
  bucket: 'name',
  perMinute: LOOKS_PER_MINUTE,
  refuse: ({ retryAfterSeconds }) =>
    overLimit(`Limit: ${LOOKS_PER_MINUTE} name lookups a minute from one IP address.`, retryAfterSeconds),
}

interface UsernamePorts {
  billing: BillingModule
  names: Pick<NamesModule, 'announceChange' | 'learn'>
  mailer: Mailer
  /** The base URL of links to this gateway. */
  baseUrl(): string
  isPlay: boolean
}

export interface UsernamesModule extends Module {
  usernames: UsernameContext
}

/** Opens the usernames module: leases, extensions and changes of names. */
export function openUsernames(
  { billing, names, mailer, baseUrl, isPlay }: UsernamePorts,
  { namePlans, nameUpdatePrice }: UsernameSettings,
): UsernamesModule {
  const learn = ({ subject }: { subject: string }) => names.learn(subject)
  const onChange = (key: string) => names.announceChange(key)
  const announcing =
    (fulfil: Fulfil): Fulfil =>
    (tx, order, payment) => {
      if (order.accountId !== null) tx.notifyAccount(order.accountId, ['names'])
      return fulfil(tx, order, payment)
    }
  billing.sells({ kind: NAME, fulfil: announcing(leaseName(onChange)), learn })
  billing.sells({ kind: NAME_UPDATE, fulfil: announcing(changeName(onChange)), learn })
  const { offers, resumeOrder } = billing
  const context: UsernameContext = { ...offers, namePlans, nameUpdatePrice, resumeOrder }
  return {
    ...offer('usernames', context, USERNAME_ACTIONS),
    usernames: context,
    pages: namePages(context),
    routes: [...nameRoutes(context), ...publicNameRoutes({ context, limit: LOOKS, baseUrl, devnet: isPlay })],
    jobs: [remindOfEnds(offers.checkouts), mailOwners(offers.checkouts, mailer, baseUrl)],
  }
}

/** Queues notices for owners whose leases end. */
const remindOfEnds = (ctx: StoreCtx): Job => ({
  kind: 'usernames.remind',
  everyMilliseconds: 15 * 60_000,
  run: () => remindOwners(ctx),
})

/** Mails one notice about the end of a lease. */
const mailOwners = (ctx: StoreCtx, mailer: Mailer, baseUrl: () => string): Job<AskedNotice> =>
  mailJob(MAIL_NOTICE, (asked) => mailNotice(ctx, mailer, asked, baseUrl()))
