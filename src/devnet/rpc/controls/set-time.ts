import { refusal } from '../../../kernel/nano/node-refusal.ts'
import type { Handler } from '../handler.ts'
import { findWhole } from './fields.ts'

/** The year 2286: as many seconds as have ten digits. */
const SECONDS_MAX = 9_999_999_999

/** Sets the ledger's clock, or advances it; it goes on from there. Confirmations that fall due by that come at once. */
export const devnetSetTime: Handler = (node, request) => {
  const unix = findWhole(request, 'unix', SECONDS_MAX)
  const advance = findWhole(request, 'advance', SECONDS_MAX)
  if ((unix === undefined) === (advance === undefined)) throw refusal('Give unix or advance, in seconds')
  const { clock } = node
  const by = unix === undefined ? advance! * 1000 : unix * 1000 - clock.now()
  if (clock.now() + by > SECONDS_MAX * 1000) throw refusal(`advance leads beyond ${SECONDS_MAX}`)
  clock.shiftTo(clock.shift + by)
  return { unix: `${Math.floor(clock.now() / 1000)}` }
}
