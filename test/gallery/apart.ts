import { join } from 'node:path'
import { openApart } from '../support/apart.ts'
import { isWriting } from './table.ts'

/** Clients that are not development dependencies. */
export const findApart = openApart(join(import.meta.dirname, 'apart'), 'nano-gateway-clients', { always: isWriting })
