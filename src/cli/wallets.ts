import { OPERATOR } from '../kernel/actor.ts'
import { readReason } from '../modules/accounts/index.ts'
import { freezeSends, listFreezes, listFrozen, unfreezeSends } from '../modules/wallets/index.ts'
import { type Flags, print, withStore } from './store.ts'

const FROZEN_MAX = 200

/** Lists wallets that sign nothing more, with the reason. */
export function printFrozen({ json }: Flags): Promise<void> {
  return withStore(async ({ db }) => {
    const frozen = await listFrozen(db, FROZEN_MAX)
    const lines = frozen.map(
      ({ id, address, frozenAt, reason }) => `${id}  ${new Date(frozenAt).toISOString()}  ${address}  ${reason}`,
    )
    const sends = await listFreezes(db, FROZEN_MAX)
    const stopped = sends.map(
      ({ scope, frozenAt, reason }) => `sends of ${scope}  ${new Date(frozenAt).toISOString()}  ${reason}`,
    )
    print(json, [...sends, ...frozen], [...stopped, ...lines])
  })
}

/** Freezes a wallet, the sends of an account, or all sends. In force when it returns, because every signer reads the store. */
export function freeze(target: string, { json, reason }: Flags & { reason: string }): Promise<void> {
  return withStore(async (ctx) => {
    await freezeSends(ctx, { target, actor: OPERATOR, reason: readReason({ reason }) })
    print(json, { frozen: target }, [
      `Frozen: ${target}. Nothing more is signed; what was signed before still goes out.`,
    ])
  })
}

/** Unfreezes them. */
export function thaw(target: string, { json, payQueued = false }: Flags & { payQueued?: boolean }): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const wallet = await unfreezeSends(ctx, { target, actor: OPERATOR, payQueued })
    ctx.wakeJobs()
    const { text, facts } = await gateways.announced()
    const name = wallet?.id ?? target
    print(json, { thawed: name, ...(wallet && { address: wallet.address }), ...facts }, [`${name} goes on. ${text}`])
  })
}
