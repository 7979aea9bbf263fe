import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { WorkThresholds } from '../../kernel/nano/work.ts'
import { type ConfirmationBus, type Notices } from '../../kernel/ports.ts'
import { type WorkPort } from '../../kernel/work-port.ts'
import { inSteps } from '../../kernel/retention.ts'
import { workCancel } from './actions/work-cancel.ts'
import { workGenerate } from './actions/work-generate.ts'
import { workValidate } from './actions/work-validate.ts'
import { WorkGenerator, type WorkSearch } from './generator.ts'
import type { WorkContext } from './context.ts'
import type { WorkSettings } from './settings.ts'
import { deleteExpiredWorks } from './store.ts'

export const WORK_ACTIONS = [workGenerate, workValidate, workCancel]

interface WorkPorts {
  store: StoreCtx
  notices: Notices
  confirmations: ConfirmationBus
  searches: WorkSearch
  thresholds: WorkThresholds
  /** Called when work was ready before it was requested. */
  onHit(): void
}

export interface WorkModule extends Module {
  work: WorkPort
  /** Prepares work for the block after this one, for the highest threshold that it can need, which is that of a send. */
  prepare(address: string, root: string): void
}

/** Opens the work module: proof of work that is stored, searched or prepared. */
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

/** The actions alone, for a server that searches for work and has no store. */
export const openWorkActions = (context: WorkContext) => offer('work', context, WORK_ACTIONS)

/** Deletes expired work that no caller requested. */
const forgetWorks = ({ db, clock }: StoreCtx): Job => ({
  kind: 'work.forget-expired',
  everyMilliseconds: 3_600_000,
  run(_payload, signal) {
    const now = clock.now()
    return inSteps((limit) => deleteExpiredWorks(db, now, limit), signal)
  },
})
