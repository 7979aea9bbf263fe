import { OPERATOR } from '../../src/kernel/actor.ts'
import { countSale } from '../../src/modules/links/domain/count-sale.ts'
import { sandboxPrices } from '../../src/infra/market/sandbox.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Names } from '../../src/kernel/ports.ts'
import type { IncomingSend } from '../../src/modules/checkout/domain/baseline.ts'
import {
  type CheckoutPorts,
  type CheckoutContext,
  openCheckout,
  readCheckout,
} from '../../src/modules/checkout/index.ts'
import type { ServiceSales } from '../../src/modules/checkout/service-sales.ts'
import type { CheckoutsTable } from '../../src/modules/checkout/record.ts'
import { testRandom } from './random.ts'

/** The service's own sales and its treasury address. */
type Sold = ServiceSales & Pick<CheckoutPorts, 'treasuryAddress'>

const nothingHere = (what: string) => () => Promise.reject(new Error(`No ${what} here.`))

const NO_SALES: Sold = {
  treasuryAddress: nothingHere('treasury'),
  settle: nothingHere('sales'),
  describe: () => Promise.resolve(undefined),
  sumReturned: () => Promise.resolve({ count: 0, raw: 0n }),
  forget: () => Promise.resolve(),
}

export const NO_NAMES: Names = {
  revision: 0,
  resolve: () => undefined,
  usernameOf: () => undefined,
  isReserved: () => false,
  known: () => [],
  aliases: () => [],
}

/** The dependencies of the checkout functions, without a gateway. */
export function toCheckoutCtx(
  store: StoreCtx,
  engine: StoreEngine,
  { sales = NO_SALES, announce = () => undefined }: { sales?: Sold; announce?: (id: string) => void } = {},
): CheckoutContext {
  const link = (id: string) => `https://gateway.example/${id}`
  const ports: CheckoutPorts = {
    engine,
    rules: {
      lifetimeMilliseconds: 86_400_000,
      openMax: 0,
      openPublicKeyMax: 0,
      openAnonymousMax: 0,
      buyerMailsPerDayMax: 0,
      generatedWallets: [],
      plainHttpAllowed: false,
    },
    prices: sandboxPrices(store.clock),
    links: { pay: link, check: link, record: link, block: link, own: link },
    qrOutline: () => ({ size: 0, path: '' }),
    qrPng: () => '',
    checkWebhookUrl: () => Promise.resolve(),
    secrets: openSecretBox(testRandom.bytes(32), testRandom),
    wallets: {
      along: nothingHere('wallets'),
      sweep: nothingHere('wallets'),
      queueSend: nothingHere('wallets'),
      bringForward: nothingHere('wallets'),
    },
    claims: {
      along: nothingHere('claims'),
      record: nothingHere('claims'),
      find: nothingHere('claims'),
      cancel: nothingHere('claims'),
      link,
    },
    isExchange: () => false,
    treasuryAddress: () => sales.treasuryAddress(),
    sales,
    walletsFor: () => [],
    linkSales: { moved: countSale, againAt: async () => undefined },
    look: () => Promise.resolve({ frontier: null, height: 0, waiting: [] }),
    proofs: { isOn: false, expect: () => undefined, prove: () => undefined },
    watch: () => undefined,
    announce,
  }
  return { ...store, ports, names: NO_NAMES }
}

/** A caller with a secret key of the account. */
export const callerOf = (accountId: string) =>
  ({
    kind: 'account',
    accountId,
    role: 'user',
    prepaid: false,
    access: 'secret-key',
    actor: OPERATOR,
    rights: undefined,
  }) as const

/** Opens a checkout with fields in wire format. */
export async function openWith(context: CheckoutContext, caller: Parameters<typeof openCheckout>[1], fields: object) {
  const rules = { currencies: context.ports.prices.currencies, plainHttpAllowed: false }
  return (await openCheckout(context, caller, readCheckout({ ...fields }, rules))).checkout
}

/** Inserts a checkout directly; `change` has the fields that matter to the test. */
export async function addCheckout(db: Db, id: string, change: Partial<CheckoutsTable>): Promise<void> {
  const texts = { description: null, image: null, success_url: null, cancel_url: null, webhook_url: null }
  await db
    .insertInto('checkouts')
    .values({
      ...{ id, owner: 'acc_a', key_id: null, mode: 'unique_amount', status: 'pending', additional_status: 'none' },
      ...{ address: `nano_${id}`, merchant_address: 'nano_m', wallet_id: null, currency: 'NANO', price: '1' },
      ...{ price_e8: null, amount_raw: '1', paid_raw: '0', refunded_raw: '0', plans: '[]', plan: null, title: null },
      ...{ bare_price: 0, made_with: null, webhook_proof: 0 },
      ...{ webhook_secret: null, webhook_events: '[]', notify: null, metadata: '{}', seq: 1, served_at: null },
      ...texts,
      ...{ created_at: 1, expires_at: 2, watched_until: 3, seen_at: null, paid_at: null, hidden_at: null },
      ...{ notified_at: null, block_hash: null, payer: null, detected_block: null, detected_at: null, ...change },
    })
    .execute()
}

/** A confirmed send, reported now. */
export function sendOf(
  { clock }: Pick<CheckoutContext, 'clock'>,
  { hash, ...send }: Pick<IncomingSend, 'hash' | 'from' | 'to' | 'amountRaw'>,
): IncomingSend {
  const at = clock.now()
  return { hash: hash.padStart(64, '0'), ...send, at, knownAt: at, receivedAt: null }
}
