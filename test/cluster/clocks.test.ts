import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FollowingClock } from '../../src/infra/clock.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, give } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { ask, openGateway, sharedKeys } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000

// A gateway whose clock ran ahead made a checkout with a future time. Its payment seemed older than the checkout and was ignored.
test('a customer who pays at once is served although the clock of the gateway is wrong by minutes', async (t) => {
  const devnet = await openDevnet(t)
  const env = {
    ...sharedKeys(),
    DATABASE_URL: await createDatabase(),
    NODE_URLS: devnet.rpcUrl,
    NODE_WS_URLS: devnet.wsUrl,
    NODE_NETWORK: 'dev',
  }
  let wrong = 5 * MINUTE
  const gateway = await openGateway(t, env, new FollowingClock(() => Date.now() + wrong))
  for (const next of [-5 * MINUTE, 0]) {
    const made = await gateway.call('checkout', { address: new Signer(41).address, amount: '1' })
    const { id, address, amount_raw: amount } = made.json()
    await give(devnet.node, fromAddress(address!)!, toRaw(BigInt(amount!)))
    const check = async () => (await ask(`${gateway.url}/check/${id}`, { method: 'GET' })).json().status
    await until(async () => (await check()) === 'complete')
    wrong = next
  }
})

test('a clock that follows another one shows its time, and can no longer be set', async () => {
  let wall = 1_000_000
  const clock = new FollowingClock(() => wall)
  assert.equal(clock.now(), 1_000_000)
  const stop = await clock.follow(
    () => Promise.resolve(5_000_000),
    (error) => assert.fail(String(error)),
  )
  wall = 9_000_000
  const now = clock.now()
  assert.ok(now >= 5_000_000 && now < 5_000_000 + MINUTE, `${now}`)
  stop()

  // The reference clock is unreachable, so the gateway's clock goes on alone.
  const away = new Error('away')
  const told: unknown[] = []
  const again = await clock.follow(() => Promise.reject(away), told.push.bind(told))
  assert.deepEqual(told, [away])
  assert.ok(clock.now() >= now && clock.now() < 5_000_000 + MINUTE)
  again()
})
