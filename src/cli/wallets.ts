import { OPERATOR } from '../kernel/actor.ts'
import { listFrozen, thawWallet } from '../modules/wallets/index.ts'
import { type Flags, print, withStore } from './store.ts'

const FROZEN_MAX = 200

/** Wallets that sign nothing more, and why. */
export function printFrozen({ json }: Flags): Promise<void> {
  return withStore(async ({ db }) => {
    const frozen = await listFrozen(db, FROZEN_MAX)
    const lines = frozen.map(
      ({ id, address, frozenAt, reason }) => `${id}  ${new Date(frozenAt).toISOString()}  ${address}  ${reason}`,
    )
    print(json, frozen, lines)
  })
}

/** Lets a frozen wallet go on. */
export function thaw(wallet: string, { json, payQueued = false }: Flags & { payQueued?: boolean }): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const { id, address } = await thawWallet(ctx, { wallet, actor: OPERATOR, payQueued })
    ctx.wakeJobs()
    const { text, facts } = await gateways.announced()
    print(json, { thawed: id, address, ...facts }, [`${id} goes on. ${text}`])
  })
}
