import { sandboxPrices } from '../../src/infra/market/sandbox.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-box.ts'
import type { Engine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { parseNano } from '../../src/kernel/money.ts'
import type { Names } from '../../src/kernel/ports.ts'
import type { Sales } from '../../src/kernel/sales.ts'
import type { Till } from '../../src/kernel/till.ts'
import type { CheckoutCtx } from '../../src/modules/checkout/index.ts'

const nothingHere = (what: string) => () => Promise.reject(new Error(`No ${what} here.`))

const NO_SALES: Sales = {
  rules: { namePlans: [], nameUpdatePrice: parseNano('1')!, creditPlans: [], offersPerDayMax: 0 },
  treasuryAddress: nothingHere('treasury'),
  settle: nothingHere('sales'),
  resume: nothingHere('sales'),
  describe: () => Promise.resolve(undefined),
}

export const NO_NAMES: Names = {
  revision: 0,
  resolve: () => undefined,
  usernameOf: () => undefined,
  isReserved: () => false,
  known: () => [],
  aliases: () => [],
}

/** What the verbs of checkouts need, without a gateway around it. */
export function toCheckoutCtx(
  store: StoreCtx,
  engine: Engine,
  { sales = NO_SALES, tell = () => undefined }: { sales?: Sales; tell?: (id: string) => void } = {},
): CheckoutCtx {
  const link = (id: string) => `https://gateway.example/${id}`
  const till: Till = {
    engine,
    rules: {
      lifetimeMilliseconds: 86_400_000,
      openMax: 0,
      openPublicKeyMax: 0,
      openAnonymousMax: 0,
      generatedWallets: [],
      plainHttpAllowed: false,
    },
    prices: sandboxPrices(store.clock),
    links: { pay: link, check: link, record: link, block: link },
    qrOutline: () => ({ size: 0, path: '' }),
    qrPng: () => '',
    checkWebhookUrl: () => Promise.resolve(),
    secrets: openSecretBox(systemRandom.bytes(32), systemRandom),
    wallets: { create: nothingHere('wallets'), sweep: nothingHere('wallets') },
    sales,
    look: () => Promise.resolve({ frontier: null, height: 0, waiting: [] }),
    watch: () => undefined,
    tell,
  }
  return { ...store, till, names: NO_NAMES }
}
