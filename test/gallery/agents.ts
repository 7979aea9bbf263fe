import assert from 'node:assert/strict'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { give } from '../support/blocks.ts'
import { FRIEND, openWorld } from './steps.ts'
import type { ClientRun } from './run-client.ts'

/** The tools at `/mcp`, as an agent framework presents them. */
export interface Toolbox {
  names: string[]
  /** The answer as the model reads it. */
  use(name: string, fields: object): Promise<string>
}

const most = 40

/** An agent works for a shop with a key: it reads, makes a checkout, waits for the payment, and gets an error. */
export async function useTools(
  { t, steps, access }: ClientRun,
  open: (at: string, headers: { Authorization: string }) => Promise<Toolbox>,
): Promise<void> {
  const world = await openWorld(t, access)
  const tools = await open(world.at, { Authorization: `Bearer ${world.app.createdKey!}` })
  const read = async (name: string, fields: object) =>
    JSON.parse(await tools.use(name, fields)) as Record<string, string>
  await steps.step('list the tools', async () => {
    assert.ok(tools.names.length <= most && tools.names.includes('checkout'), tools.names.join())
  })
  await steps.step('read a balance', async () => {
    await world.pay(FRIEND, 5)
    await world.confirmed()
    assert.equal((await read('account_balance', { account: FRIEND })).receivable_nano, '5')
  })
  await steps.step('take a payment', async () => {
    const order = {
      address: FRIEND,
      amount: '2',
      metadata: JSON.stringify({ order: '17' }),
      idempotency_key: 'order-17',
    }
    const made = await read('checkout', order)
    assert.equal((await read('checkout', order)).id, made.id)
    const { app } = world
    await give(app.devnet!.node, fromAddress(FRIEND)!, toRaw(BigInt(made.amount_raw!)))
    await world.confirmed()
    let status = ''
    for (let asked = 0; asked < 5 && status !== 'complete'; asked++) {
      status = (await read('checkout_status', { id: made.id, wait_seconds: 20 })).status!
    }
    assert.equal(status, 'complete')
  })
  await steps.step('read a refusal', async () => {
    const words = await tools.use('account_balance', { account: 'nobody' })
    assert.match(words, /Bad account number field: account\. \(invalid_account, status 400\)/)
  })
}
