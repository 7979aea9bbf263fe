import { formatNano, toRaw } from '../../../src/kernel/money.ts'
import type { AskedSend } from '../made.ts'
import { type Caller, isUnclear } from './caller.ts'
import type { Answer } from '../client.ts'

const TRIES_MAX = 40
const SENDS = 4

/**
 * A new manager makes a key and sends with it; then the owner lowers the manager's role. Once this is acknowledged, the key must not send anything, on any
 * gateway. Nobody's role is ever raised again: a request for a role that a broken connection delayed could arrive after the next one.
 */
export async function changeRole(caller: Caller): Promise<void> {
  const { client, random, staff, over, made } = caller.options
  // Fails if the store is unreachable for a moment.
  const hired = await staff.hire().catch(() => undefined)
  if (hired === undefined || over.aborted) return
  const { id: member, token } = hired
  const body = { name: 'chaos', scopes: ['read', 'wallets:send'] }
  const idempotencyKey = caller.nextKey('key')
  const issued = await acknowledged(caller, () => client.ask('POST', '/api/keys', { key: token, body, idempotencyKey }))
  const { key } = (issued?.body ?? {}) as Record<string, string>
  if (key === undefined) return
  await send(caller, key, false)
  const role = random.pick(['developer', 'reader', 'cashier'])
  if (await acknowledged(caller, () => client.ask('PUT', `/api/members/${member}`, { body: { role } }))) {
    made.roleChanges++
    await Promise.all(Array.from({ length: SENDS }, () => send(caller, key, true)))
  }
  const isGone = (answer: Answer) => answer.status === 404
  await acknowledged(caller, () => client.ask('DELETE', `/api/members/${member}`, {}), isGone)
}

/** Repeats an idempotent request until it is acknowledged. */
async function acknowledged(
  { options: { client, over } }: Caller,
  ask: () => Promise<Answer | undefined>,
  isFine: (answer: Answer) => boolean = () => false,
): Promise<Answer | undefined> {
  for (let tries = 0; tries < TRIES_MAX && !over.aborted; tries++) {
    const answer = await ask()
    if (answer && (answer.status < 300 || isFine(answer))) return answer
    if (answer && !isUnclear(answer)) {
      client.violations.push(`a refusal among people: ${answer.from} answered ${answer.status} ${answer.text}`)
      return undefined
    }
    await client.pause()
  }
  return undefined
}

/** Sends from a cloud wallet with a member's key. */
async function send(caller: Caller, key: string, mustNotLeave: boolean): Promise<void> {
  const { random, money, made, client } = caller.options
  const amountRaw = (random.bigint(56) << 24n) + BigInt(made.sends.length + 1)
  const asked: AskedSend = { key: caller.nextKey('send'), amountRaw, hash: undefined, mustNotLeave }
  made.sends.push(asked)
  const request = {
    action: 'cloud_wallet',
    account: random.pick(money.wallets),
    send: money.friend.address,
    amount: formatNano(toRaw(amountRaw)),
  }
  const answer = await client.withKey(key).post(request, asked.key)
  if (answer?.status === 200) asked.hash = answer.body.hash as string
}
