import { setTimeout as sleep } from 'node:timers/promises'
import { buy } from './load/buy.ts'
import { Caller, type LoadOptions } from './load/caller.ts'
import { changeRole } from './load/change-role.ts'
import { checkOut } from './load/check-out.ts'
import { letExpire } from './load/expire.ts'
import { payByMail } from './load/mail.ts'
import { read } from './load/read.ts'
import { send } from './load/send.ts'
import { trade } from './load/trade.ts'
import { work } from './load/work.ts'

/** The activities of a caller, with their percentages. */
const DEEDS: readonly [number, (caller: Caller) => Promise<void>][] = [
  [12, read],
  [24, checkOut],
  [12, send],
  [6, work],
  [10, buy],
  [18, trade],
  [4, changeRole],
  [8, letExpire],
  [6, payByMail],
]

/** What a caller is doing, printed if a run makes no progress. */
export interface Doing {
  name: string
  what: string
  since: number
}

/** One caller that does one activity after another until aborted, and completes each. */
export async function runLoad(options: LoadOptions, doing: Doing): Promise<void> {
  const { random, ending } = options
  const caller = new Caller(options)
  const { market } = options
  const merchant = new Caller({ ...options, client: market.client, name: `${options.name}-market` })
  const begin = (what: string) => Object.assign(doing, { what, since: performance.now() })
  while (!ending.aborted) {
    let dice = random.below(100)
    const [, activity] = DEEDS.find(([times]) => (dice -= times) < 0)!
    const who = activity === trade ? merchant : caller
    begin(activity.name)
    await activity(who)
    begin('an errand')
    await who.goOn()
    await sleep(random.below(120))
  }
  begin('its last errands')
  for (const who of [caller, merchant]) await who.finish()
  begin('nothing more')
}
