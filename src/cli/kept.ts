import { join } from 'node:path'
import { rememberTuning } from '../infra/work/remembered-tuning.ts'

/**
 * What one start finds out is ready for the next: beside the code, because a user who may write there may change the code as
 * well. Where the gateway may not, it is found out each time.
 */
const KEPT = join(import.meta.dirname, '..', '.compiled')

export const keptTuning = () => rememberTuning(join(KEPT, 'work.json'))
