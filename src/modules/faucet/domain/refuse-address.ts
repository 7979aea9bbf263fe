import { readOrEmpty } from '../../../kernel/read-or-empty.ts'
import { toObject } from '../../../kernel/shape.ts'
import { findWalletByAddress, treasury } from '../../wallets/index.ts'
import type { FaucetRoom } from '../room.ts'

const UNRECEIVED_MAX = 10
const LOOKED_AT_MAX = 100

/** Why an address gets nothing, from any caller; undefined when it may. */
export async function findRefusal(ctx: FaucetRoom, address: string): Promise<string | undefined> {
  const wallet = await findWalletByAddress(ctx.store.db, address)
  if (wallet && wallet.accountId === null) return 'The faucet does not give to the wallets of this service.'
  if ((await countUnreceived(ctx, address)) > UNRECEIVED_MAX) {
    return `More than ${UNRECEIVED_MAX} claims wait to be received at this address. Receive them first.`
  }
  return undefined
}

/** Gifts that were not picked up: the owner of the address does not look at it. */
async function countUnreceived(ctx: FaucetRoom, account: string): Promise<number> {
  const { address: giver } = await treasury(ctx)
  const params = { account, count: LOOKED_AT_MAX, source: true, include_only_confirmed: false }
  const { blocks } = await readOrEmpty(ctx.node, 'receivable', params)
  return Object.values(toObject(blocks)).filter((entry) => toObject(entry).source === giver).length
}
