import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import type { Module } from '../../kernel/module.ts'
import { MINUTE, type OwnView, look } from './domain/status.ts'
import { statusRoutes } from './routes/status.tsx'

interface StatusPorts {
  store: StoreCtx
  view: OwnView
  /** The ledger is for trying things out. */
  isPlay: boolean
}

/** How the service stands, for the public. */
export function openStatusPage({ store, view, isPlay }: StatusPorts): Module {
  return { name: 'status', routes: statusRoutes({ store, devnet: isPlay }), jobs: [lookAtService(store, view)] }
}

/** Looks at the service once a minute, on one instance. */
const lookAtService = (ctx: StoreCtx, view: OwnView): Job => ({
  kind: 'status.look',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 30_000,
  everyMilliseconds: MINUTE,
  run: () => look(ctx, view),
})
