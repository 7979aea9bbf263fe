import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../kernel/shape.ts'
import type { WalletRoom } from '../room.ts'
import { type Wallet, listOwnedWallets } from '../store.ts'
import { withOwnBlocks } from './read-balance.ts'

const READ_MAX = 10_000

interface WalletFilter {
  limit: number
  start: number
  /** Part of the address or of the metadata, in any case. */
  search: string | undefined
  /** Members that the metadata must have, with these values. */
  metadata: JsonObject | undefined
}

/** The wallets of an account that have not ended, newest first. How many there are is bounded by what an account may have. */
export async function listWallets(
  { store }: WalletRoom,
  accountId: string,
  { limit, start, search, metadata }: WalletFilter,
): Promise<Wallet[]> {
  const all = await listOwnedWallets(store.db, accountId, READ_MAX)
  const text = search?.toLowerCase()
  const fits = (wallet: Wallet) =>
    (text === undefined || `${wallet.address} ${JSON.stringify(wallet.metadata)}`.toLowerCase().includes(text)) &&
    Object.entries(metadata ?? {}).every(([name, value]) => isDeepStrictEqual(wallet.metadata?.[name], value))
  return withOwnBlocks({ store }, all.filter(fits).slice(start, start + limit))
}
