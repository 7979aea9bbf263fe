import type { Config } from './config.ts'
import type { Job } from './kernel/job.ts'
import type { Mailer, Names, SecretBox } from './kernel/ports.ts'
import type { PostOffice } from './kernel/post-office.ts'
import {
  type EmailCtx,
  followEmailPayments,
  forgetEmailPayments,
  inviteByMail,
  mailEmailReceipt,
} from './modules/email/index.ts'
import type { WalletCtx } from './modules/wallets/index.ts'

export interface EmailParts {
  postOffice: PostOffice
  ctx: EmailCtx
  jobs: Job<never>[]
}

interface EmailNeeds {
  wallets: WalletCtx
  names: Names
  mailer: Mailer
  secrets: SecretBox
  baseUrl(): string
  blockLink(hash: string): string
}

/** Puts payments by mail together: their links and their jobs. */
export function openEmailPayments(
  config: Pick<
    Config,
    'smtpUrl' | 'checkoutUrl' | 'apiUrl' | 'emailFee' | 'emailRecipientsPerDayMax' | 'emailMailsPerAddressMax'
  >,
  { wallets, names, mailer, secrets, baseUrl, blockLink }: EmailNeeds,
): EmailParts {
  const pages = () => config.checkoutUrl ?? baseUrl()
  const postOffice: PostOffice = {
    rules: {
      feeEach: config.emailFee,
      recipientsPerDayMax: config.emailRecipientsPerDayMax,
      mailsPerAddressMax: config.emailMailsPerAddressMax,
    },
    links: {
      page: (id) => `${pages()}/email/${id}`,
      check: (id) => `${config.apiUrl ?? baseUrl()}/email/${id}/check`,
      claim: (token) => `${pages()}/claim#${token}`,
      decline: (token) => `${pages()}/claim/decline#${token}`,
      claimPage: () => `${pages()}/claim`,
      block: blockLink,
    },
    secrets,
    keepsMail: config.smtpUrl === '',
  }
  const ctx: EmailCtx = { ...wallets, postOffice, names }
  return {
    postOffice,
    ctx,
    jobs: [
      followEmailPayments(ctx),
      forgetEmailPayments(ctx),
      inviteByMail(ctx, mailer),
      mailEmailReceipt(ctx, mailer),
    ],
  }
}
