import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { WorkThresholds } from '../../kernel/nano/work.ts'
import type { ConfirmationBus, Notices, WorkPort } from '../../kernel/ports.ts'
import { inSteps } from '../../kernel/retention.ts'
import { workCancel } from './actions/work-cancel.ts'
import { workGenerate } from './actions/work-generate.ts'
import { workValidate } from './actions/work-validate.ts'
import { WorkGenerator, type WorkSearch } from './generator.ts'
import type { WorkRoom } from './room.ts'
import type { WorkSettings } from './settings.ts'
import { deleteExpiredWorks } from './store.ts'

export const WORK_ACTIONS = [workGenerate, workValidate, workCancel]

interface WorkPorts {
  store: StoreCtx
  notices: Notices
  confirmations: ConfirmationBus
  searches: WorkSearch
  thresholds: WorkThresholds
  /** Work was ready before it was asked for. */
  onHit(): void
}

export interface WorkModule extends Module {
  work: WorkPort
  /** The newest block of an account is known; a send is the most that its next one can need. */
  prepare(address: string, root: string): void
}

/** Proof of work: what is ready, what is searched now, and what is made for later. */
export function openWork(
  { store, notices, confirmations, searches, thresholds, onHit }: WorkPorts,
  { workPrecompute }: WorkSettings,
): WorkModule {
  const desk = new WorkGenerator({
    searches,
    store,
    precompute: workPrecompute,
    onHit,
    onPrepared: (root) => notices.publish('work', root),
  })
  notices.subscribe('work', (root) => desk.noteReady(root))
  confirmations.listen((confirmation) => desk.note(confirmation, thresholds.send))
  return {
    ...openWorkActions({ work: desk, thresholds }),
    work: desk,
    prepare: (address, root) => desk.prepare(address, root, thresholds.send),
    jobs: [forgetWorks(store)],
    load: () => desk.start(),
    close: () => desk.close(),
  }
}

/** The actions alone, for a server that finds work and has no store. */
export const openWorkActions = (room: WorkRoom) => offer('work', room, WORK_ACTIONS)

/** Forgets work that no caller came for. */
const forgetWorks = ({ db, clock }: StoreCtx): Job => ({
  kind: 'work.forget-expired',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 3_600_000,
  run(_payload, signal) {
    const now = clock.now()
    return inSteps((limit) => deleteExpiredWorks(db, now, limit), signal)
  },
})
