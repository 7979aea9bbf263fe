import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { alice, codeOf, openWorld, sender } from '../support/email-steps.ts'
import { Signer, give } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { row } from './row.ts'

/* Contract 3: email payments and swaps from the beginning to each possible end. */

const HOUR = 3_600_000
const DAY = 24 * HOUR
const nano = (text: string) => parseNano(text)!

test('an e-mail payment: waiting, funded, completed; its shares queued, sent, claimed or refunded; unfunded it expires after a day (contract 3, rules 12 and 13; 4.4, rules 5 and 7; 8, Other areas: funding)', async (t) => {
  const world = await openWorld(t)
  const { clock, mails } = world
  const emails = ['alice@example.com', 'bob@example.com']
  const made = await world.open({ amount: '2', emails, expiration: '1 hour' })
  const never = await world.open({ amount: '1' })
  const statusOf = async (one = made) => (await world.check(one)).status
  assert.deepEqual([made.status, await statusOf(), await statusOf(never)], ['waiting', 'waiting', 'waiting'])
  /** Its status and its shares, in the order of the checks below. */
  const seen: [status: string, shares: unknown][] = []
  const look = async () => {
    const { status, recipients } = await world.check(made)
    seen.push([status, recipients])
  }

  // The claim period begins with the funding, half an hour later, although no mail can be sent while the server is down.
  clock.leap(HOUR / 2)
  mails.down = true
  await world.fund(made.address, nano('2.1'))
  await world.untilStatus(made, 'funded')
  await look()
  const { payment } = (await world.rest('GET', `/api/emails/${made.id}`)).json<{
    payment: { funded_at: number; expires_at: number }
  }>()
  assert.equal(payment.expires_at - payment.funded_at, HOUR)
  assert.ok(payment.funded_at >= made.created_at + HOUR / 2)
  mails.down = false
  await world.turnUntil(async () => ((await world.check(made)).recipients as { sent: number }).sent === 2)
  await look()
  const [forAlice, forBob] = emails.map((email) => codeOf(mails.to(email)[0]!))
  const claimed = await world.claim(forAlice!, alice)
  assert.equal(claimed.status, 200, claimed.text)
  await look()

  // Unclaimed money is refunded.
  await world.settle()
  clock.leap(payment.expires_at - clock.now())
  await world.untilStatus(made, 'completed')
  await world.settle()
  await look()
  row('3, E-mail payment: recipient', () =>
    assert.deepEqual(seen, [
      ['funded', { queued: 2, sent: 0, claimed: 0, refunded: 0 }],
      ['funded', { queued: 0, sent: 2, claimed: 0, refunded: 0 }],
      ['funded', { queued: 0, sent: 1, claimed: 1, refunded: 0 }],
      ['completed', { queued: 0, sent: 0, claimed: 1, refunded: 1 }],
    ]),
  )
  row('1, Product areas: 6. E-mail payments', () =>
    assert.deepEqual([world.fundsOf(alice), world.fundsOf(sender)], [nano('1'), nano('1')]),
  )
  const late = await world.claim(forBob!, alice)
  assert.deepEqual([late.status, late.json().code], [409, 'conflict'])

  const end = never.created_at + DAY
  clock.leap(end - 1_000 - clock.now())
  assert.equal(await statusOf(never), 'waiting')
  await world.untilStatus(never, 'expired')
  assert.ok(clock.now() >= end, 'not before the day is over')
  await world.settle()
  // A payment to it is no longer accepted.
  await world.fund(never.address, nano('1'))
  await world.turnUntil(() => world.fundsOf(sender) === nano('2'))
  const ends = [await statusOf(), await statusOf(never)]
  row('3, E-mail payment: payment', () => assert.deepEqual(ends, ['completed', 'expired']))
})

const BTC = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'

interface Swap {
  id: string
  send: number
  receive: string
  swap_address: string
  refund_address: string
  status: string
  expires_unix: number
}

test('a swap: waiting with its deposit address, confirming, exchanging, sending, finished; or refunded, failed, expired (contract 3, rule 14)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { DEVNET_TREASURY_NANO: '1000' }, clock)
  const [holder, other] = [new Signer(21).address, new Signer(22).address]
  const agree = async (wish: object) => {
    const fields = { from: 'nano', to: 'btc', address: BTC, refund_address: holder, ...wish }
    return (await gateway.call('nano_swap', fields)).json<Swap>()
  }
  const statusOf = async ({ id }: Swap) => (await gateway.call('nano_swap_status', { id })).json<Swap>().status
  const fund = ({ swap_address }: Swap, amount: string) =>
    give(gateway.app.devnet!.node, fromAddress(swap_address)!, nano(amount))
  const worthOf = async (account: string) => {
    const { balance, receivable } = (
      await gateway.call('account_balance', { account, include_only_confirmed: false })
    ).json()
    return BigInt(balance!) + BigInt(receivable!)
  }
  const { db } = gateway.app.store
  /** Nobody but who asks moves a swap now: its job is not at work, and does not begin while the clock stands. */
  const isQuiet = async () => {
    const running = db.updateTable('jobs').set({ last_error: null }).where('kind', '=', 'swap.follow')
    return (await running.where('status', '=', 'running').executeTakeFirst()).numUpdatedRows === 0n
  }
  /**
   * Gives the statuses that a swap went through. Each look moves it, and so does its job: the clock stands while a look moves it, and is
   * turned slower than the work that a look waits for.
   */
  const follow = async (swap: Swap, end: string) => {
    const seen = [await statusOf(swap)]
    await until(async () => {
      const status = await statusOf(swap)
      if (status === seen.at(-1)) clock.advance(100)
      else seen.push(status)
      return status === end
    })
    return seen
  }

  const agreedAt = clock.now()
  const expires_unix = (agreedAt + DAY) / 1_000
  const [whole, written] = [await agree({ amount: 10 }), await agree({ amount: '1.5' })]
  for (const [{ id, swap_address, ...quote }, send, receive] of [
    [whole, 10, '0.000099 BTC'],
    [written, 1.5, '0.000014 BTC'],
  ] as const) {
    const atFirst = (await gateway.call('nano_swap_status', { id })).json<Swap>()
    row('2, Swap quote: id, send, receive, swap_address, refund_address, status; 3, Swap: waiting', () => {
      const waiting = { status: 'waiting', source: 'sandbox', expires_unix }
      assert.deepEqual(quote, { send, receive, refund_address: holder, ...waiting })
      assert.match(id, /^swp_[A-Za-z0-9]+$/)
      assert.ok(fromAddress(swap_address), 'an address to deposit at')
      assert.deepEqual(atFirst, { id, swap_address, ...quote })
    })
  }
  const [tooMuch, tooLittle, nothing] = [
    await agree({ amount: 2, refund_address: other }),
    await agree({ amount: 2 }),
    await agree({ amount: 2 }),
  ]
  assert.equal(new Set([whole, tooMuch, tooLittle, nothing].map(({ swap_address: to }) => to)).size, 4)
  await fund(whole, '4')
  const part = await follow(whole, 'confirming')
  row('2, Swap quote: swap_address, status; 3, Swap: confirming', () => assert.equal(part.at(-1), 'confirming'))
  await fund(whole, '6')
  await follow(whole, 'finished')
  await fund(tooMuch, '3')
  await follow(tooMuch, 'refunded')
  const tooMuchBack = await worthOf(other)

  // An amount above the treasury's balance; and a swap from nano, which does not need the treasury.
  const back = { from: 'btc', to: 'nano', address: holder, refund_address: BTC }
  const beyond = await agree({ ...back, amount: '0.02' })
  await follow(beyond, 'failed')
  await until(isQuiet)
  const bought = await agree({ ...back, amount: '0.001', address: other })
  const path = await follow(bought, 'finished')
  row('3, Swap: exchanging, sending, finished', () =>
    assert.deepEqual(path.slice(-3), ['exchanging', 'sending', 'finished']),
  )
  assert.equal(await worthOf(other), nano('102'))
  assert.equal(await worthOf(holder), 0n)
  const wallets = db.selectFrom('wallets').select('address').where('purpose', '=', 'treasury')
  const { address: treasury } = await wallets.executeTakeFirstOrThrow()
  assert.equal(await worthOf(treasury), nano('911'), 'ten came, and 99 were paid')
  for (const { swap_address: to } of [whole, tooMuch]) assert.equal(await worthOf(to), 0n)

  await fund(tooLittle, '0.5')
  await follow(tooLittle, 'confirming')
  clock.leap(agreedAt + DAY - 5_000 - clock.now())
  await follow(nothing, 'expired')
  row('3, Swap: expired', () => {
    assert.equal(nothing.expires_unix, expires_unix)
    assert.ok(clock.now() >= agreedAt + DAY, 'not before the day is over')
  })
  await follow(tooLittle, 'refunded')
  const tooLittleBack = await worthOf(holder)
  row('3, Swap: refunded', () => assert.deepEqual([tooMuchBack, tooLittleBack], [nano('3'), nano('0.5')]))
  clock.leap(DAY)
  const finals = await Promise.all([whole, beyond, tooMuch, tooLittle, nothing].map(statusOf))
  row('3, Swap: finished, failed, refunded, expired', () =>
    assert.deepEqual(finals, ['finished', 'failed', 'refunded', 'refunded', 'expired']),
  )
})
