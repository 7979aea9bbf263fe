import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { formatNano, parseNano } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import { Signer, give } from '../../../test/support/blocks.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { openGateway } from '../../../test/support/gateway.ts'
import { until } from '../../../test/support/until.ts'

const BTC = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
const HOLDER = new Signer(21).address

interface Swap {
  id: string
  send: number
  receive: string
  swap_address: string
  status: string
}

async function open(t: TestContext) {
  const clock = new TestClock()
  const gateway = await openGateway(t, { DEVNET_TREASURY_NANO: '1000' }, clock)
  const usual = { from: 'nano', to: 'btc', address: BTC, refund_address: HOLDER }
  const swap = async (wish: object) => (await gateway.call('nano_swap', { ...usual, ...wish })).json<Swap>()
  const statusOf = async ({ id }: Swap) => (await gateway.call('nano_swap_status', { id })).json<Swap>().status
  const fund = ({ swap_address }: Swap, amount: string) =>
    give(gateway.app.devnet!.node, fromAddress(swap_address)!, parseNano(amount)!)
  /** Advances the clock until a swap has the expected status; returns the statuses in between. */
  const follow = async (wanted: Swap, end: string) => {
    const seen = [await statusOf(wanted)]
    await until(async () => {
      // Slower than the work that it waits for; otherwise every lease would expire before its holder is finished.
      clock.advance(100)
      const status = await statusOf(wanted)
      if (status !== seen.at(-1)) seen.push(status)
      return status === end
    })
    return seen
  }
  /** The balance and the receivable sends of an address, in nano. */
  const worthOf = async (account: string) => {
    const asked = { account, include_only_confirmed: false }
    const { balance, receivable } = (await gateway.call('account_balance', asked)).json()
    return formatNano(BigInt(balance!) + BigInt(receivable!))
  }
  const treasury = async () => {
    const wallets = gateway.app.store.db.selectFrom('wallets').select('address').where('purpose', '=', 'treasury')
    return (await wallets.executeTakeFirstOrThrow()).address
  }
  /** Advances the clock until an address holds this amount. */
  const untilWorth = (account: string, amount: string) =>
    until(async () => {
      clock.advance(100)
      return (await worthOf(account)) === amount
    })
  return { gateway, clock, swap, statusOf, fund, follow, worthOf, untilWorth, treasury }
}

test('a second payment, after the exchange, is returned to its sender', async (t) => {
  const { swap, fund, follow, untilWorth, worthOf, treasury } = await open(t)
  const agreed = await swap({ amount: '2' })
  await fund(agreed, '2')
  await follow(agreed, 'finished')
  await fund(agreed, '2')
  await untilWorth(HOLDER, '2')
  await untilWorth(agreed.swap_address, '0')
  assert.equal(await worthOf(await treasury()), '1002', 'the first deposit was exchanged once')
})

test('too little is returned at the end, nothing at all just expires, and late payments are returned', async (t) => {
  const { gateway, swap, fund, follow, clock, worthOf, untilWorth, statusOf } = await open(t)
  const [partly, never] = [await swap({ amount: '2' }), await swap({ amount: '2' })]
  await fund(partly, '0.5')
  await follow(partly, 'confirming')
  // Their time is over; advancing the clock by a whole day would end all leases in between.
  await gateway.app.store.db.updateTable('swaps').set({ expires_at: clock.now() }).execute()
  await follow(partly, 'refunded')
  await follow(never, 'expired')
  assert.equal(await worthOf(HOLDER), '0.5')
  await fund(never, '2')
  await untilWorth(HOLDER, '2.5')
  assert.deepEqual([await worthOf(partly.swap_address), await statusOf(never)], ['0', 'expired'])
})

// The sandbox pays out of the treasury for deposits that nobody made.
test('in front of a real network the sandbox does not exist', async (t) => {
  const gateway = await openGateway(t, { NODE_URLS: 'http://127.0.0.1:1' })
  const wish = { amount: 1, from: 'btc', to: 'nano', address: HOLDER, refund_address: BTC }
  const reply = await gateway.call('nano_swap', wish)
  assert.deepEqual([reply.status, reply.json().code], [403, 'feature_disabled'])
})
