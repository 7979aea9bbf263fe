import type { Config } from './config.ts'
import { toBlockLink } from './explorer.ts'
import { qrOutline, qrPng } from './infra/qr.ts'
import type { Engine } from './kernel/dialect.ts'
import type { StoreCtx } from './kernel/in-tx.ts'
import type { Job } from './kernel/job.ts'
import type {
  Clock,
  ConfirmationBus,
  Mailer,
  Names,
  NodePort,
  Notices,
  Outbound,
  Prices,
  SecretBox,
} from './kernel/ports.ts'
import type { Sales } from './kernel/sales.ts'
import type { ServiceWallets, Till } from './kernel/till.ts'
import {
  type CheckoutCtx,
  Monitor,
  Shares,
  lookAt,
  mailReceipt,
  releaseAmounts,
  sweepToMerchant,
} from './modules/checkout/index.ts'
import { type WalletCtx, createWallet, deleteWallet, findWallet } from './modules/wallets/index.ts'
import { urlRefused } from './modules/webhooks/index.ts'

const HOUR = 3_600_000

export interface CheckoutParts {
  till: Till
  ctx: CheckoutCtx
  monitor: Monitor
  jobs: Job<never>[]
  /** Somebody waits for a payment at this address. */
  nudge(address: string): void
  close(): Promise<void>
  /** Calls back when something about a checkout has changed, on whichever instance. */
  onChange(listener: (checkoutId: string) => void): () => void
}

interface CheckoutNeeds {
  engine: Engine
  store: StoreCtx
  clock: Clock
  notices: Notices
  names: Names
  node: NodePort
  bus: ConfirmationBus
  mailer: Mailer
  prices: Prices
  outbound: Outbound
  secrets: SecretBox
  wallets: WalletCtx
  sales: Sales
  /** The embedded ledger is for trying things out, and so is plain http. */
  devnet: boolean
  baseUrl(): string
  onError(error: unknown, doing: string): void
}

/** Puts checkouts together: their ports, their monitor and their jobs. */
export function openCheckouts(
  config: Pick<
    Config,
    | 'checkoutUrl'
    | 'apiUrl'
    | 'checkoutGeneratedWallets'
    | 'explorerUrl'
    | 'checkoutLifetimeHours'
    | 'checkoutOpenMax'
    | 'checkoutOpenPublicKeyMax'
    | 'checkoutOpenAnonymousMax'
  >,
  needs: CheckoutNeeds,
): CheckoutParts {
  const { engine, store, clock, notices, names, node, bus, mailer, devnet, baseUrl, onError } = needs
  const pages = () => config.checkoutUrl ?? baseUrl()
  const api = () => config.apiUrl ?? baseUrl()
  const till: Till = {
    engine,
    rules: {
      lifetimeMilliseconds: config.checkoutLifetimeHours * HOUR,
      openMax: config.checkoutOpenMax,
      openPublicKeyMax: config.checkoutOpenPublicKeyMax,
      openAnonymousMax: config.checkoutOpenAnonymousMax,
      // On the embedded ledger everything can be tried; an operator who names accounts means them.
      generatedWallets:
        devnet && config.checkoutGeneratedWallets.length === 0 ? ['all'] : config.checkoutGeneratedWallets,
      plainHttpAllowed: devnet,
    },
    prices: needs.prices,
    links: {
      pay: (id) => `${pages()}/pay/${id}`,
      check: (id) => `${api()}/check/${id}`,
      record: (id) => `${api()}/checkout/${id}`,
      block: toBlockLink(config, { devnet, baseUrl }),
    },
    qrPng,
    qrOutline,
    checkWebhookUrl: (url) => {
      const reason = needs.outbound.check(url)
      return reason === undefined ? Promise.resolve() : Promise.reject(urlRefused('webhook_url', reason))
    },
    secrets: needs.secrets,
    wallets: toServiceWallets(needs.wallets),
    sales: needs.sales,
    look: (address) => lookAt(node, address),
    watch: (address) => notices.publish('checkout-address', address),
    tell: (id) => notices.publish('checkout', id),
  }
  const ctx: CheckoutCtx = { ...store, till, names }
  const shares = new Shares({ notices, clock, random: store.random, isListening: () => bus.connected })
  const monitor = new Monitor({ ctx, node, bus, clock, turnOf: (hash) => shares.turnOf(hash), onError })
  notices.subscribe('checkout-address', (address) => monitor.watch(address))
  return {
    till,
    ctx,
    monitor,
    jobs: [mailReceipt(ctx, mailer), sweepToMerchant(ctx), releaseAmounts(ctx)],
    nudge: (address) => monitor.nudge(address),
    close: async () => {
      shares.stop()
      await monitor.stop()
    },
    onChange: (listener) => notices.subscribe('checkout', listener),
  }
}

/** A wallet of the service that gives all it gets to one address, from the moment it is told to. */
function toServiceWallets(ctx: WalletCtx): ServiceWallets {
  return {
    async create({ destination, reference }) {
      const request = { accountId: undefined, purpose: 'checkout', refundAddress: destination, metadata: { reference } }
      const { id, address } = await createWallet(ctx, request)
      return { id, address }
    },
    async sweep(walletId) {
      const wallet = await findWallet(ctx.store.db, walletId)
      if (!wallet) throw new Error(`There is no wallet ${walletId}.`)
      // Its end is the way its funds leave; whatever comes later follows by itself.
      if (wallet.status === 'active') await deleteWallet(ctx, wallet)
      else await ctx.custody.advance(walletId)
    },
  }
}
