import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RAW_PER_NANO, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { NO_WORK, Signer, frontierOf, fundsOf, nano, publish } from '../support/blocks.ts'
import { openWorld, turnUntil } from '../support/checkout-steps.ts'
import { turningWhenStuck } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { ENGINES } from '../support/engines.ts'
import { EventRelay } from '../support/event-relay.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { feed } from '../support/node-views.ts'
import { row } from './row.ts'

for (const engine of ENGINES) {
  test(`${engine}: a send of money that never was: its outcome is open until another block of the wallet is final, then nothing was sent (contract 4.2, rule 21)`, async (t) => {
    const world = await openWorld(t, engine)
    const nodes = [
      await FaultyNode.start(t, { ledger: world.ledger }),
      await FaultyNode.start(t, { ledger: world.ledger }),
    ]
    const relay = await EventRelay.start(t, world.ledger.wsUrl)
    const gateway = await world.start({
      NODE_URLS: nodes.map(({ url }) => url).join(','),
      NODE_WS_URLS: relay.url,
      WALLET_RELEASE_AFTER: '60',
    })
    const [thief, shop] = [new Signer(666), new Signer(667)]
    const truth = world.ledger.node
    await publish(
      truth,
      thief.receive(frontierOf(truth, thief.key), await world.pay(thief.address, nano(50)), nano(50)),
    )
    const lies = await openDevnet(t, { clock: world.clock, thresholds: NO_WORK, confirmAfterMilliseconds: 0 })
    const call = (fields: object, idempotency?: string) => {
      const request = { key: world.key(), ...fields, ...(idempotency && { idempotency_key: idempotency }) }
      return turningWhenStuck(world.clock, gateway.call('cloud_wallet', request))
    }
    const wallet = (await call({})).json<{ address: string }>().address
    const { db } = gateway.app.store
    const statuses = async () =>
      (await db.selectFrom('wallet_blocks').select('status').orderBy('sequence').execute()).map(({ status }) => status)
    await world.pay(wallet, nano(4))
    assert.equal((await call({ receive: true, account: wallet })).status, 200)
    const allConfirmed = async () => (await statuses()).every((status) => status === 'confirmed')
    await turnUntil(world, 1_000, allConfirmed, nodes)

    // The nodes show another ledger, in which a thief has paid.
    await feed(truth, lies.node)
    await publish(lies.node, thief.send(frontierOf(lies.node, thief.key), fromAddress(wallet)!, nano(7)))
    for (const node of nodes) node.become(lies)
    const pay = (amount: string, key: string) => call({ send: shop.address, amount, account: wallet }, key)
    assert.equal((await call({ receive: true, account: wallet })).status, 200)
    for (const node of nodes) await node.behave('request lost', { actions: ['process'] })
    const codeOf = ({ status, json }: Awaited<ReturnType<typeof call>>) => [status, json<{ code: string }>().code]
    assert.deepEqual(codeOf(await pay('10', 'order')), [502, 'publish_unknown'])
    for (const node of nodes) {
      await node.behave('none')
      node.become(world.ledger)
    }
    await turnUntil(world, 1_000, async () => (await statuses()).at(-1) === 'void', nodes)
    assert.deepEqual(await statuses(), ['confirmed', 'void', 'void'])

    assert.deepEqual(codeOf(await pay('10', 'order')), [502, 'publish_unknown'])
    assert.equal((await pay('1', 'another')).status, 200)
    const isSettled = async () => {
      const rows = await db.selectFrom('wallet_blocks').selectAll().where('status', '=', 'void').execute()
      return rows.every(({ refusal }) => refusal !== null)
    }
    await turnUntil(world, 1_000, isSettled, nodes)
    const over = await pay('10', 'order')
    row('7, Texts and codes: send of a wallet whose block can never be confirmed', () =>
      assert.deepEqual(codeOf(over), [409, 'send_void']),
    )
    assert.equal(fundsOf(truth, shop.address), toRaw(RAW_PER_NANO))
    assert.match(gateway.log(), /"event":"wallet_alarm","kind":"void"/)
  })
}
