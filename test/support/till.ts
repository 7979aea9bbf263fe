import { sandboxPrices } from '../../src/infra/market/sandbox.ts'
import type { Engine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Till } from '../../src/kernel/till.ts'
import type { CheckoutCtx } from '../../src/modules/checkout/index.ts'

/** What the verbs of checkouts need around a store, where no gateway is. */
export function toCheckoutCtx(
  store: StoreCtx,
  engine: Engine,
  tell: (id: string) => void = () => undefined,
): CheckoutCtx {
  const link = (id: string) => `https://gateway.example/${id}`
  const till: Till = {
    engine,
    rules: {
      lifetimeMilliseconds: 86_400_000,
      openMax: 0,
      openAnonymousMax: 0,
      generatedWallets: [],
      plainHttpAllowed: false,
    },
    prices: sandboxPrices(store.clock),
    links: { pay: link, check: link, record: link, block: link },
    qrOutline: () => ({ size: 0, path: '' }),
    qrPng: () => '',
    checkWebhookUrl: () => Promise.resolve(),
    secrets: { seal: (_context, plain) => plain, open: (_context, sealed) => sealed },
    wallets: {
      create: () => Promise.reject(new Error('No wallets here.')),
      sweep: () => Promise.reject(new Error('No wallets here.')),
    },
    watch: () => undefined,
    tell,
  }
  return { ...store, till, names: { resolve: () => undefined, usernameOf: () => undefined } }
}
