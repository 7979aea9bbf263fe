import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import type { Module } from '../../kernel/module.ts'
import { MINUTE, type OwnView, look } from './domain/status.ts'
import { statusRoutes } from './routes.tsx'

interface StatusPorts {
  store: StoreCtx
  view: OwnView
  /** Whether the ledger is the development ledger. */
  isPlay: boolean
  /** Whether there is no mail server: mails are kept and not sent. */
  keepsMail: boolean
}

/** Opens the public status page. */
export function openStatusPage({ store, view, isPlay, keepsMail }: StatusPorts): Module {
  return {
    name: 'status',
    routes: statusRoutes({ store, devnet: isPlay, keepsMail }),
    jobs: [lookAtService(store, view)],
  }
}

/** Checks the service once a minute, on one instance. */
const lookAtService = (ctx: StoreCtx, view: OwnView): Job => ({
  kind: 'status.look',
  leaseMilliseconds: 30_000,
  everyMilliseconds: MINUTE,
  run: () => look(ctx, view),
})
