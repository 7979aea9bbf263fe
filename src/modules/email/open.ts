import type { Retention } from '../../kernel/retention.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { RateLimiter, Links, Mailer, Names, Prices, SecretBox } from '../../kernel/ports.ts'
import type { WalletContext } from '../wallets/index.ts'
import { nanoEmail } from './actions/nano-email.ts'
import { alongLink, cancelLink, findLink, linkOf, recordLink } from './domain/claim-link.ts'
import { followEmailPayments, forgetEmailPayments, inviteByMail, mailEmailReceipt } from './jobs.ts'
import type { EmailContext } from './context.ts'
import { emailRoutes } from './routes/api.ts'
import type { ListedWallet } from '../../kernel/payer-wallets.ts'
import { claimRoutes } from './routes/claim.tsx'
import { emailPages } from './routes/dashboard.tsx'
import type { EmailPorts } from './ports.ts'
import type { EmailSettings } from './settings.ts'

export const EMAIL_ACTIONS = [nanoEmail]

interface EmailNeeds {
  wallets: WalletContext
  names: Names
  mailer: Mailer
  secrets: SecretBox
  links: Links
  /** Limits how often someone may try codes. */
  limiter: RateLimiter
  /** For the approximate value of a share. */
  prices: Prices
  /** Whether the ledger is the development ledger. */
  isPlay: boolean
}

export interface EmailModule extends Module {
  emails: EmailContext
  /** Money that waits for the holder of a link. */
  links: {
    along<T>(...made: Parameters<typeof alongLink<T>> extends [unknown, ...infer L] ? L : never): Promise<T>
    record(
      tx: StoreCtx,
      ...link: Parameters<typeof recordLink> extends [unknown, unknown, ...infer L] ? L : never
    ): Promise<void>
    find: typeof findLink
    cancel: typeof cancelLink
    link(refundId: string): string
  }
}

/** Opens the email module: payments to people by their email address. */
export function openEmails(
  { wallets, names, mailer, secrets, links, limiter, prices, isPlay }: EmailNeeds,
  settings: EmailSettings & Pick<Retention, 'keepEmailAddresses'> & { payerWallets: readonly ListedWallet[] },
): EmailModule {
  const ports: EmailPorts = {
    rules: {
      feeEach: settings.emailFee,
      recipientsPerDayMax: settings.emailRecipientsPerDayMax,
      mailsPerAddressMax: settings.emailMailsPerAddressMax,
      addressesKept: settings.keepEmailAddresses,
    },
    links: {
      page: (id) => `${links.pages()}/email/${id}`,
      check: (id) => `${links.api()}/email/${id}/check`,
      claim: (token) => `${links.pages()}/claim#${token}`,
      decline: (token) => `${links.pages()}/claim/decline#${token}`,
      claimPage: () => `${links.pages()}/claim`,
      block: (hash) => links.block(hash),
    },
    secrets,
  }
  const context: EmailContext = { ...wallets, ports, names }
  return {
    ...offer('email', context, EMAIL_ACTIONS),
    emails: context,
    links: {
      along: (terms, run) => alongLink(context, terms, run),
      record: (tx, ...link) => recordLink(context, tx, ...link),
      find: findLink,
      cancel: cancelLink,
      link: (refundId) => linkOf(context, refundId),
    },
    routes: [
      ...emailRoutes(context),
      ...claimRoutes({ ctx: context, devnet: isPlay, prices, limiter, wallets: isPlay ? [] : settings.payerWallets }),
    ],
    pages: emailPages(context),
    jobs: [
      followEmailPayments(context),
      forgetEmailPayments(context),
      inviteByMail(context, mailer),
      mailEmailReceipt(context, mailer),
    ],
  }
}
