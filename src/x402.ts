import type { Config } from './config.ts'
import { isEmbedded } from './upstreams.ts'
import type { Registry } from './guard/registry.ts'
import { EmbeddedFacilitator } from './infra/facilitator/embedded.ts'
import { RemoteFacilitator } from './infra/facilitator/remote.ts'
import type { StoreCtx } from './kernel/in-tx.ts'
import type { ConfirmationBus, NodePort, Prices } from './kernel/ports.ts'
import type { Price } from './kernel/x402/price.ts'
import type { Shop, Till } from './modules/x402/index.ts'

interface PaymentsOptions {
  store: StoreCtx
  node: NodePort
  confirmations: ConfirmationBus
  /** The smallest work of a send. */
  threshold: bigint
  prices: ReadonlyMap<string, Price>
  rates: Prices | undefined
  baseUrl(): string
}

export interface Payments {
  /** Settles payments, also for other services. */
  till: Till
  /** Unset while nothing has a price. */
  shop: Shop | undefined
  close(): Promise<void>
}

/** Puts pay per request together, as the configuration has it. */
export function openPayments(
  config: Pick<Config, 'x402PayTo' | 'x402Network' | 'x402TimeoutSeconds' | 'x402FacilitatorUrl'>,
  { store, node, confirmations, threshold, prices, rates, baseUrl }: PaymentsOptions,
): Payments {
  const { x402Network: network, x402TimeoutSeconds: timeoutSeconds, x402FacilitatorUrl: url, x402PayTo: payTo } = config
  const { clock, failures } = store
  const embedded = { node, confirmations, clock, failures, network, threshold, timeoutSecondsMax: timeoutSeconds }
  const remote = url === undefined ? undefined : new RemoteFacilitator({ url, clock })
  const till: Till = { store, own: new EmbeddedFacilitator(embedded), remote, network, threshold, timeoutSeconds }
  const shop = payTo === undefined ? undefined : { ...till, payTo, prices, rates, resourceUrl: () => `${baseUrl()}/` }
  return { till, shop, close: async () => remote?.close() }
}

/** The price of each action that has one. A price that cannot be asked for is refused. */
export function readPrices(
  config: Pick<Config, 'x402PayTo' | 'x402Actions' | 'x402Price' | 'nodeUrls'>,
  registry: Registry,
  rates: Prices | undefined,
): ReadonlyMap<string, Price> {
  const { x402PayTo, x402Actions, x402Price } = config
  if (x402PayTo === undefined && !isEmbedded(config)) return new Map()
  return new Map(
    x402Actions.map(({ name, price = x402Price }) => {
      const action = registry.find(name)?.action
      if (!action) throw new Error(`X402_ACTIONS names ${name}, which is no action.`)
      // Whoever pays by request has no key to show.
      if (action.auth !== 'none') throw new Error(`X402_ACTIONS names ${name}, which needs an API key.`)
      if ('currency' in price && !rates?.currencies.includes(price.currency)) {
        throw new Error(`The price of ${name} is in ${price.currency}, and there is no source of prices for that.`)
      }
      // Paid for once, it could happen twice when we die in between.
      if (action.once || action.onceWhen) throw new Error(`X402_ACTIONS names ${name}, which makes or moves something.`)
      return [action.name, price]
    }),
  )
}
