import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { Names, NodePort, Representatives } from '../../kernel/ports.ts'
import { repInfo } from './actions/rep-info.ts'
import { reps } from './actions/reps.ts'
import { lookAtReps } from './jobs.ts'
import { RepresentativeList } from './representative-list.ts'
import { repRoutes } from './routes.ts'
import type { RepresentativeSettings } from './settings.ts'

export const REP_ACTIONS = [reps, repInfo]

interface RepPorts {
  store: StoreCtx
  node: NodePort
  names: Names
}

export interface RepsModule extends Module {
  reps: Representatives
}

/** Accounts with voting weight, and how long they were seen. */
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
