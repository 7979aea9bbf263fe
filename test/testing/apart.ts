import { join } from 'node:path'
import { openApart } from '../support/apart.ts'

/** Vitest and Playwright: they bring binaries and other licences, so they are not dependencies. */
export const findFrameworks = openApart(join(import.meta.dirname, 'apart'), 'nano-gateway-frameworks', {
  optional: true,
})
