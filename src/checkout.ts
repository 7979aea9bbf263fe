import type { Config } from './config.ts'
import { sandboxPrices } from './infra/market/sandbox.ts'
import { qrPng } from './infra/qr.ts'
import type { Engine } from './kernel/dialect.ts'
import type { StoreCtx } from './kernel/in-tx.ts'
import type { Job } from './kernel/job.ts'
import type { Clock, ConfirmationBus, Mailer, Names, NodePort, Notices } from './kernel/ports.ts'
import type { Till } from './kernel/till.ts'
import { type CheckoutCtx, Monitor, mailReceipt, releaseAmounts, sweepToMerchant } from './modules/checkout/index.ts'

const HOUR = 3_600_000

export interface CheckoutParts {
  till: Till
  ctx: CheckoutCtx
  monitor: Monitor
  jobs: Job<never>[]
  /** Somebody waits for a payment at this address. */
  nudge(address: string): void
  /** Calls back when something about a checkout has changed, on whichever instance. */
  onChange(listener: (checkoutId: string) => void): () => void
}

export interface CheckoutNeeds {
  engine: Engine
  store: StoreCtx
  clock: Clock
  notices: Notices
  names: Names
  node: NodePort
  bus: ConfirmationBus
  mailer: Mailer
  /** The embedded ledger is for trying things out, and so is plain http. */
  devnet: boolean
  baseUrl(): string
  onError(error: unknown, doing: string): void
}

/** Puts checkouts together: their ports, their monitor and their jobs. */
export function openCheckouts(
  config: Pick<
    Config,
    'checkoutUrl' | 'apiUrl' | 'explorerUrl' | 'checkoutLifetimeHours' | 'checkoutOpenMax' | 'checkoutOpenAnonymousMax'
  >,
  { engine, store, clock, notices, names, node, bus, mailer, devnet, baseUrl, onError }: CheckoutNeeds,
): CheckoutParts {
  const pages = () => config.checkoutUrl ?? baseUrl()
  const api = () => config.apiUrl ?? baseUrl()
  const till: Till = {
    engine,
    rules: {
      lifetimeMilliseconds: config.checkoutLifetimeHours * HOUR,
      openMax: config.checkoutOpenMax,
      openAnonymousMax: config.checkoutOpenAnonymousMax,
      plainHttpAllowed: devnet,
    },
    prices: sandboxPrices(clock),
    links: {
      pay: (id) => `${pages()}/pay/${id}`,
      check: (id) => `${api()}/check/${id}`,
      record: (id) => `${api()}/checkout/${id}`,
      block: (hash) => `${config.explorerUrl}${hash}`,
    },
    qrPng,
    checkWebhookUrl: () => Promise.resolve(),
    secrets: { seal: (_context, plain) => plain, open: (_context, sealed) => sealed },
    wallets: undefined,
    watch: (address) => notices.publish('checkout-address', address),
    tell: (id) => notices.publish('checkout', id),
  }
  const ctx: CheckoutCtx = { ...store, till, names }
  const monitor = new Monitor({ ctx, node, bus, clock, onError })
  notices.subscribe('checkout-address', (address) => monitor.watch(address))
  return {
    till,
    ctx,
    monitor,
    jobs: [mailReceipt(ctx, mailer), sweepToMerchant(ctx), releaseAmounts(ctx)],
    nudge: (address) => monitor.nudge(address),
    onChange: (listener) => notices.subscribe('checkout', listener),
  }
}
