import { OPERATOR } from '../kernel/actor.ts'
import { renewMark } from '../infra/db/store-mark.ts'
import { readReason } from '../modules/accounts/index.ts'
import {
  type FrozenWallet,
  declareRestore,
  findRestore,
  freezeSends,
  listFreezes,
  listFrozen,
  listUnknownSends,
  settleRestore,
  unfreezeSends,
} from '../modules/wallets/index.ts'
import { type Flags, print, withStore } from './store.ts'
import { openAsk } from './verify.ts'

const FROZEN_MAX = 200

/** Lists frozen wallets, with the reason, and the blocks on the ledger that the store does not have. */
export function printFrozen({ json, node }: Flags & { node?: string }): Promise<void> {
  return withStore(async ({ db }) => {
    const [restore, sends] = await Promise.all([findRestore(db), listFreezes(db, FROZEN_MAX)])
    const frozen = []
    for (const wallet of await listFrozen(db, FROZEN_MAX))
      frozen.push({ ...wallet, sends: await findSends(wallet, node) })
    const lines = frozen.flatMap(({ id, address, frozenAt, reason, sends: unknown }) => [
      `${id}  ${new Date(frozenAt).toISOString()}  ${address}  ${reason}`,
      ...(unknown ?? []).map(({ hash, destination, amount }) => `    sent ${amount} nano to ${destination}  ${hash}`),
      ...(unknown ? [] : ['    No node answers, so what it has sent is not shown.']),
    ])
    const stopped = sends.map(
      ({ scope, frozenAt, reason }) => `sends of ${scope}  ${new Date(frozenAt).toISOString()}  ${reason}`,
    )
    const restored = restore && { restored: restore.reason, foundAt: restore.foundAt }
    const line = `restored  ${restore?.reason}  Requests with an Idempotency-Key send nothing until: nano-gateway wallets settle`
    print(
      json,
      [...(restored ? [restored] : []), ...sends, ...frozen],
      [...(restore ? [line] : []), ...stopped, ...lines],
    )
  })
}

/** The sends of a frozen wallet that are missing in the store; undefined when no node answers. */
async function findSends({ address, frontier }: FrozenWallet, node: string | undefined) {
  try {
    return await listUnknownSends(openAsk(node).ask, { address, frontier })
  } catch {
    // The list is useful without them; it says that they could not be read.
    return undefined
  }
}

/** After a restore, unknown Idempotency-Keys are refused until this is called. */
export function settle({ json }: Flags): Promise<void> {
  return withStore(async (ctx) => {
    await settleRestore(ctx, OPERATOR)
    print(json, { settled: true }, ['Settled: requests with any Idempotency-Key are carried out again.'])
  })
}

/** Records that the operator restored the store from a backup. */
export const noteRestored = (): Promise<void> =>
  withStore(async (ctx) => {
    await declareRestore(ctx, OPERATOR)
    // Ends a gateway that still runs from before the restore.
    await renewMark(ctx)
  })

/**
 * Freezes a wallet, the sends of an account, or all sends. The freeze applies when this returns, because signers read
 * it from the store.
 */
export function freeze(target: string, { json, reason }: Flags & { reason: string }): Promise<void> {
  return withStore(async (ctx) => {
    await freezeSends(ctx, { target, actor: OPERATOR, reason: readReason({ reason }) })
    print(json, { frozen: target }, [
      `Frozen: ${target}. Nothing more is signed; what was signed before still goes out.`,
    ])
  })
}

/** Unfreezes a wallet, the sends of an account, or all sends. */
export function unfreeze(target: string, { json, payQueued = false }: Flags & { payQueued?: boolean }): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const wallet = await unfreezeSends(ctx, { target, actor: OPERATOR, payQueued })
    ctx.wakeJobs()
    const { text, facts } = await gateways.announced()
    const name = wallet?.id ?? target
    print(json, { thawed: name, ...(wallet && { address: wallet.address }), ...facts }, [`${name} goes on. ${text}`])
  })
}
