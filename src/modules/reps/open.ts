import { type StoreCtx, inTx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { Names, NodePort, Representatives } from '../../kernel/ports.ts'
import { repInfo } from './actions/rep-info.ts'
import { reps } from './actions/reps.ts'
import { DAY, RepresentativeList, readOnline } from './representatives.ts'
import { repRoutes } from './routes.ts'
import type { RepresentativeSettings } from './settings.ts'
import { addLook, deleteOldLooks } from './store.ts'

export const REP_ACTIONS = [reps, repInfo]

interface RepPorts {
  store: StoreCtx
  node: NodePort
  names: Names
}

export interface RepsModule extends Module {
  reps: Representatives
}

/** Opens the representatives module: accounts with voting weight, and their uptime. */
export function openReps({ store, node, names }: RepPorts, { knownReps }: RepresentativeSettings): RepsModule {
  const { db, clock } = store
  const list = new RepresentativeList({
    node,
    db,
    clock,
    known: knownReps,
    usernameOf: (address) => names.usernameOf(address),
  })
  return {
    ...offer<Representatives>('reps', list, REP_ACTIONS),
    routes: repRoutes(list),
    reps: list,
    jobs: [lookAtReps(store, node)],
  }
}

const KEPT_DAYS = 60

/** Checks once a minute who is online, on one instance at a time; uptimes are computed from these checks. */
const lookAtReps = (ctx: StoreCtx, node: NodePort): Job => ({
  kind: 'reps.look',
  leaseMilliseconds: 30_000,
  everyMilliseconds: 60_000,
  async run() {
    const online = await readOnline(node)
    const day = Math.floor(ctx.clock.now() / DAY)
    await inTx(ctx, async ({ db }) => {
      await addLook(db, day, online)
      await deleteOldLooks(db, day - KEPT_DAYS)
    })
  },
})
