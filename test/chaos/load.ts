import { setTimeout as sleep } from 'node:timers/promises'
import { buy } from './load/buy.ts'
import { Caller, type LoadOptions } from './load/caller.ts'
import { checkOut } from './load/check-out.ts'
import { letExpire } from './load/expire.ts'
import { payByMail } from './load/mail.ts'
import { read } from './load/read.ts'
import { send } from './load/send.ts'
import { work } from './load/work.ts'

/** What a caller does, and how many times of a hundred. */
const DEEDS: readonly [number, (caller: Caller) => Promise<void>][] = [
  [20, read],
  [30, checkOut],
  [16, send],
  [8, work],
  [12, buy],
  [8, letExpire],
  [6, payByMail],
]

/** One caller that does this and that, one thing after another, until it is told to end; each thing is brought to its end. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const { random, ending } = options
  const caller = new Caller(options)
  while (!ending.aborted) {
    let dice = random.below(100)
    const [, deed] = DEEDS.find(([times]) => (dice -= times) < 0)!
    await deed(caller)
    await caller.goOn()
    await sleep(random.below(120))
  }
  await caller.finish()
}
