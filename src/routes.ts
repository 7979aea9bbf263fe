import type { CheckoutParts } from './checkout.ts'
import type { Config } from './config.ts'
import type { EmailParts } from './email.ts'
import { openPictures } from './infra/http/pictures.ts'
import { MemoryBurst } from './infra/limits/gcra.ts'
import type { Ctx } from './kernel/ctx.ts'
import type { Notices, PlayLedger } from './kernel/ports.ts'
import type { Route } from './kernel/route.ts'
import {
  type Sessions,
  type StoredKeys,
  accountRoutes,
  activityPages,
  keyPages,
  signInPages,
} from './modules/accounts/index.ts'
import { type GatewayStatus, adminRoutes, administrationPages, overviewPages } from './modules/admin/index.ts'
import { creditPages } from './modules/billing/index.ts'
import { checkoutPages, checkoutRoutes, developerPages } from './modules/checkout/index.ts'
import { claimRoutes, emailPages, emailRoutes } from './modules/email/index.ts'
import { nameRoutes } from './modules/names/index.ts'
import { repRoutes } from './modules/reps/index.ts'
import { swapRoutes } from './modules/swap/index.ts'
import { namePages } from './modules/usernames/index.ts'
import { type WalletCtx, walletPages } from './modules/wallets/index.ts'
import { webhookPages, webhookRoutes } from './modules/webhooks/index.ts'
import { x402Routes } from './modules/x402/index.ts'
import { openUpkeep } from './upkeep.ts'
import type { Webhooks } from './webhooks.ts'
import type { Payments } from './x402.ts'

type RoutesConfig = Pick<Config, 'limitCheckPerMinute' | 'limitCheckAccountPerMinute' | 'smtpUrl'>

/** What the doors of the rooms lead to. */
export interface Rooms {
  base: Pick<Ctx, 'store' | 'names' | 'reps' | 'prices' | 'swaps'>
  notices: Notices
  keys: StoredKeys
  sessions: Sessions
  payments: Payments
  checkouts: CheckoutParts
  emails: EmailParts
  webhooks: Webhooks
  wallets: WalletCtx
  /** Undefined with real nodes. */
  playLedger: PlayLedger | undefined
  baseUrl(): string
  status(): GatewayStatus
}

/** Every route that the rooms declare, room by room. */
export function listRoutes(config: RoutesConfig, rooms: Rooms): readonly Route[] {
  const { base, sessions, notices, baseUrl, payments, checkouts, emails, playLedger } = rooms
  const { store, names, reps, prices, swaps } = base
  const { clock, failures } = store
  const { secrets, outbound } = rooms.webhooks
  const perMinute = { address: config.limitCheckPerMinute, account: config.limitCheckAccountPerMinute }
  return [
    ...nameRoutes(names),
    ...accountRoutes({ store, sessions, notices, baseUrl }),
    ...repRoutes(reps),
    ...webhookRoutes({ ...store, secrets, outbound }),
    ...x402Routes(payments),
    ...checkoutRoutes({ ...checkouts, pictures: openPictures({ outbound, clock }), playLedger, perMinute }),
    ...emailRoutes(emails.ctx),
    ...claimRoutes({ ctx: emails.ctx, devnet: playLedger !== undefined, limiter: new MemoryBurst(clock) }),
    ...swapRoutes({ fiat: prices.currencies, swaps, failures }),
    ...adminRoutes({ store, ...openUpkeep(store) }),
  ]
}

/** Every page of the dashboard, room by room. */
export function listPages(config: RoutesConfig, rooms: Rooms) {
  const { base, notices, keys, sessions, baseUrl, checkouts, wallets, emails, playLedger, status } = rooms
  const { store, names } = base
  const { secrets, outbound } = rooms.webhooks
  const { till, ctx } = checkouts
  const devnet = playLedger !== undefined
  const mailIsKept = config.smtpUrl === ''
  return [
    ...signInPages({ store, keys, sessions, baseUrl, devnet, mailIsKept }),
    ...keyPages({ store, notices }),
    ...activityPages({ store }),
    ...webhookPages({ ...store, secrets, outbound }),
    ...walletPages({ wallets, names, blockLink: till.links.block }),
    ...checkoutPages(ctx),
    ...developerPages({ checkouts: ctx, ledger: playLedger }),
    ...creditPages({ store, till, names }),
    ...namePages({ store, till, names }),
    ...emailPages(emails.ctx),
    ...overviewPages({ checkouts: ctx, wallets }),
    ...administrationPages({ checkouts: ctx, mailIsKept, status, ...openUpkeep(store) }),
  ]
}
