import { formatNano, toRaw } from '../../../src/kernel/money.ts'
import type { AskedSend } from '../made.ts'
import type { Caller } from './caller.ts'

/** Sends from a cloud wallet to the friend. */
export async function send(caller: Caller): Promise<void> {
  const { random, money, made } = caller.options
  const wallet = random.pick(money.wallets)
  // All amounts differ, so that the sends can be told apart.
  const amountRaw = (random.bigint(56) << 24n) + BigInt(made.sends.length + 1)
  const key = caller.nextKey('send')
  const asked: AskedSend = { key, amountRaw, hash: undefined }
  made.sends.push(asked)
  const amount = formatNano(toRaw(amountRaw))
  const request = { action: 'cloud_wallet', account: wallet, send: money.friend.address, amount }
  const answer = await caller.untilClear(request, key)
  if (!answer) return
  const { hash } = answer.body as Record<string, string>
  if (hash === undefined) {
    caller.complain('no hash', answer)
    return
  }
  asked.hash = hash
  if (random.below(3) === 0) await caller.repeat(request, key, 'hash', hash)
}
