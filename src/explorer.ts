import type { Config } from './config.ts'

const LIVE_EXPLORER = 'https://nanolooker.com/block/'
const OWN_PAGE = '/docs/actions/block_info?hash='

/** Where people look at a block. Those of the embedded ledger are known to nobody else, so that our own reference shows them. */
export function toBlockLink(
  { explorerUrl }: Pick<Config, 'explorerUrl'>,
  { devnet, baseUrl }: { devnet: boolean; baseUrl(): string },
): (hash: string) => string {
  return (hash) => `${explorerUrl || (devnet ? `${baseUrl()}${OWN_PAGE}` : LIVE_EXPLORER)}${hash}`
}
