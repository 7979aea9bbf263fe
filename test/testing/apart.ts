import { join } from 'node:path'
import { openApart } from '../support/apart.ts'

/** Vitest and Playwright: they bring binaries and other licences along, and are nobody's dependency here. */
export const findFrameworks = openApart(join(import.meta.dirname, 'apart'), 'nano-gateway-frameworks', {
  optional: true,
})
