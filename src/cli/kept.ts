import { join } from 'node:path'
import { rememberTuning } from '../infra/work/remembered-tuning.ts'

/**
 * Keeps results of a start for the next start, beside the code: a user who may write there could change the code as
 * well. If the gateway may not write there, each start computes them again.
 */
const KEPT = join(import.meta.dirname, '..', '.compiled')

export const keptTuning = () => rememberTuning(join(KEPT, 'work.json'))
