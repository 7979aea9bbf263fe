import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Module } from '../../kernel/module.ts'
import type { OwnView } from './domain/look.ts'
import { lookAtService } from './jobs.ts'
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
