import { join } from 'node:path'
import { rememberTuning } from '../infra/work/remembered-tuning.ts'

/**
 * Results of a start are kept for the next. The folder is beside the code because a user who may write there could change the code as
 * well. Where the gateway may not write, each start computes them again.
 */
const KEPT = join(import.meta.dirname, '..', '.compiled')

export const keptTuning = () => rememberTuning(join(KEPT, 'work.json'))
