import type { Retention } from '../../kernel/retention.ts'
import { walletsFor } from '../../kernel/payer-wallets.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type {
  ConfirmationBus,
  Links,
  Mailer,
  Names,
  NodePort,
  Notices,
  Pictures,
  DevelopmentLedger,
  VotePort,
} from '../../kernel/ports.ts'
import { checkoutRefund } from './actions/checkout-refund.ts'
import { checkoutReport } from './actions/checkout-report.ts'
import { checkoutStatus } from './actions/checkout-status.ts'
import { checkout } from './actions/checkout.ts'
import { mailBuyers } from './buyers/mail.ts'
import { lookAt } from './domain/read-ledger.ts'
import {
  announceWithProof,
  findUnswept,
  forgetCheckouts,
  mailReceipt,
  releaseAmounts,
  sweepToMerchant,
} from './jobs.ts'
import { PaymentMonitor } from './payment-monitor.ts'
import { Prover } from './proofs.ts'
import { followRefunds } from './refunds/jobs.ts'
import type { CheckoutContext } from './context.ts'
import { checkoutPages } from './routes/dashboard.tsx'
import { checkoutRoutes } from './routes/index.ts'
import { statementPages } from './routes/statement.tsx'
import { developerPages } from './routes/developer-dashboard.tsx'
import type { ServiceSales } from './service-sales.ts'
import type { CheckoutSettings } from './settings.ts'
import type { CheckoutPorts, LinkSales } from './ports.ts'
import { StatusWaits } from './waits.ts'

const HOUR = 3_600_000

export const CHECKOUT_ACTIONS = [checkout, checkoutStatus, checkoutReport, checkoutRefund]

interface CheckoutNeeds extends Pick<
  CheckoutPorts,
  | 'prices'
  | 'qrPng'
  | 'qrOutline'
  | 'checkWebhookUrl'
  | 'secrets'
  | 'wallets'
  | 'claims'
  | 'isExchange'
  | 'treasuryAddress'
> {
  store: StoreCtx
  engine: StoreEngine
  notices: Notices
  names: Names
  node: NodePort
  confirmations: ConfirmationBus
  /** How many milliseconds this instance leaves an announced block to others; undefined leaves it to them for good. */
  turnOf(hash: string): number | undefined
  /** Undefined where the gateway makes no proofs. */
  votes: VotePort | undefined
  mailer: Mailer
  links: Links
  /** The development ledger, on which plain http is allowed as well. */
  developmentLedger: DevelopmentLedger | undefined
  pictures: Pictures
  /** How often payers may ask for the status. */
  perMinute: { address: number; account: number }
  /** Called after a checkout has changed, with what became of it. */
  onBecame(change: { checkoutId: string; became: string }): void
}

export interface CheckoutModule extends Module {
  checkouts: CheckoutContext
  /** Registers the one module that sells what the service itself offers. */
  sellFor(sales: ServiceSales): void
  /** Registers the one module that makes checkouts from links. */
  sellByLinks(sales: LinkSales): void
}

/** Opens the checkouts module: payments that merchants ask for. */
export function openCheckouts(
  needs: CheckoutNeeds,
  settings: CheckoutSettings & Pick<Retention, 'keepUnpaid' | 'keepNotify'>,
): CheckoutModule {
  const { store, engine, notices, names, node, confirmations, mailer, links, developmentLedger } = needs
  const sellers = openSellers()
  let prover: Prover | undefined
  const ports: CheckoutPorts = {
    engine,
    rules: toRules(settings, developmentLedger !== undefined),
    prices: needs.prices,
    links: toLinks(links),
    qrPng: needs.qrPng,
    qrOutline: needs.qrOutline,
    checkWebhookUrl: needs.checkWebhookUrl,
    secrets: needs.secrets,
    wallets: needs.wallets,
    claims: needs.claims,
    isExchange: needs.isExchange,
    treasuryAddress: needs.treasuryAddress,
    sales: sellers.sales,
    linkSales: sellers.linkSales,
    // No wallet of the live network knows the development ledger.
    walletsFor: (agent) => (developmentLedger ? [] : walletsFor(settings.payerWallets, agent)),
    look: (address) => lookAt(node, address, store.clock),
    proofs: {
      isOn: needs.votes !== undefined,
      expect: (hash, payer) => needs.votes?.expect(hash, payer),
      prove: (hash, checkoutIds) => prover?.prove(hash, checkoutIds),
    },
    watch: (address) => notices.publish('checkout-address', address),
    announce(id, became) {
      notices.publish('checkout', id)
      if (became !== undefined) needs.onBecame({ checkoutId: id, became })
    },
  }
  const context: CheckoutContext = { ...store, ports, names }
  prover = needs.votes && new Prover(context, node, needs.votes)
  const { clock, failures } = store
  const onError = (error: unknown, doing: string) => failures.failed('checkout.monitor', { doing })(error)
  const monitor = new PaymentMonitor({ ctx: context, node, bus: confirmations, clock, turnOf: needs.turnOf, onError })
  notices.subscribe('checkout-address', (address) => monitor.feed.watch([address]))
  const nudge = (address: string) => monitor.nudge(address)
  const onChange = (listener: (checkoutId: string) => void) => notices.subscribe('checkout', listener)
  const { pictures, perMinute } = needs
  const waits = new StatusWaits(clock)
  const actionContext = { ...context, waits, nudge }
  notices.subscribe('checkout', (id) => waits.moved(id))
  return {
    ...offer('checkout', actionContext, CHECKOUT_ACTIONS),
    checkouts: context,
    routes: checkoutRoutes({ ctx: context, pictures, developmentLedger, perMinute, nudge, onChange, waits }),
    pages: [
      ...checkoutPages(context),
      ...statementPages(context),
      ...developerPages({ checkouts: context, ledger: developmentLedger }),
    ],
    jobs: [
      announceWithProof(context),
      mailReceipt(context, mailer),
      mailBuyers(context, mailer),
      sweepToMerchant(context),
      findUnswept(context),
      releaseAmounts(context),
      followRefunds(context),
      forgetCheckouts(context, settings),
    ],
    sellFor: sellers.sellFor,
    sellByLinks: sellers.sellByLinks,
    listening: () => monitor.feed.start(),
    stopping: () => waits.end(),
    close: async () => {
      await monitor.feed.stop()
      await prover?.stop()
    },
  }
}

/** Modules opened later sell through checkouts; each registers itself once. */
function openSellers(): Pick<CheckoutPorts, 'sales' | 'linkSales'> & Pick<CheckoutModule, 'sellFor' | 'sellByLinks'> {
  let seller: ServiceSales | undefined
  let linkSales: LinkSales | undefined
  const requireSeller = () => {
    if (!seller) throw new Error('No module sells what the service offers.')
    return seller
  }
  const requireLinks = () => {
    if (!linkSales) throw new Error('No module sells by links.')
    return linkSales
  }
  return {
    sales: {
      settle: (tx, payment) => requireSeller().settle(tx, payment),
      describe: (db, id) => requireSeller().describe(db, id),
      sumReturned: (db, engine) => requireSeller().sumReturned(db, engine),
      forget: (db, ids) => requireSeller().forget(db, ids),
    },
    linkSales: {
      moved: (tx, before, after) => requireLinks().moved(tx, before, after),
      againAt: (ctx, checkout) => requireLinks().againAt(ctx, checkout),
    },
    sellFor(sales) {
      if (seller) throw new Error('A module already sells for the service.')
      seller = sales
    },
    sellByLinks(sales) {
      linkSales = sales
    },
  }
}

const toLinks = (links: CheckoutNeeds['links']): CheckoutPorts['links'] => ({
  pay: (id) => `${links.pages()}/pay/${id}`,
  check: (id) => `${links.api()}/check/${id}`,
  record: (id) => `${links.api()}/checkout/${id}`,
  block: (hash) => links.block(hash),
  own: (path) => `${links.pages()}${path}`,
})

function toRules(settings: CheckoutSettings, isPlay: boolean): CheckoutPorts['rules'] {
  const { checkoutGeneratedWallets: named } = settings
  return {
    lifetimeMilliseconds: settings.checkoutLifetimeHours * HOUR,
    openMax: settings.checkoutOpenMax,
    openPublicKeyMax: settings.checkoutOpenPublicKeyMax,
    openAnonymousMax: settings.checkoutOpenAnonymousMax,
    buyerMailsPerDayMax: settings.checkoutBuyerMailsPerDay,
    // On the development ledger everyone may try it, unless the operator names accounts.
    generatedWallets: isPlay && named.length === 0 ? ['all'] : named,
    plainHttpAllowed: isPlay,
  }
}
