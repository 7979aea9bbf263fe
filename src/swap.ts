import type { Config } from './config.ts'
import { nanswap } from './infra/swap/nanswap.ts'
import type { Clock } from './kernel/ports.ts'
import type { SwapProvider } from './kernel/swap.ts'
import { sandboxSwap } from './modules/swap/index.ts'
import type { WalletCtx } from './modules/wallets/index.ts'

/** Who exchanges currencies. The sandbox gives play money away, so that it exists only beside it, and only at the desk. */
export function openSwaps(
  config: Pick<Config, 'swapProvider' | 'swapUrl' | 'swapKey' | 'atDesk'>,
  { wallets, embedded, clock }: { wallets: WalletCtx; embedded: boolean; clock: Clock },
): SwapProvider | undefined {
  if (config.swapProvider === 'nanswap') return nanswap({ url: config.swapUrl, key: config.swapKey, clock })
  return config.swapProvider === 'sandbox' && embedded && config.atDesk ? sandboxSwap(wallets) : undefined
}
