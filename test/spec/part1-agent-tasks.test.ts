import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { FollowingClock, systemClock } from '../../src/infra/clock.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { openMcpClient, useTool } from '../support/mcp-client.ts'
import type { Members } from '../support/x402-steps.ts'

/* Contract 1, Tools for agents: tasks of an agent that has only MCP. */

const DAY = 86_400

/** Gets the steps of a prompt, and checks that every tool named in it is offered. */
async function follow(agent: Client, name: string, given: Record<string, string>): Promise<string> {
  const { messages } = await agent.getPrompt({ name, arguments: given })
  const { text } = messages[0]!.content as { text: string }
  const offered = (await agent.listTools()).tools.map((tool) => tool.name)
  for (const [, tool] of text.matchAll(/[Cc]all (\w+_\w+|checkout)/g)) assert.ok(offered.includes(tool!), tool)
  return text
}

async function done(agent: Client, tool: string, fields: object): Promise<Members> {
  const { isError, content, structuredContent } = await useTool(agent, tool, fields)
  assert.notEqual(isError, true, (content[0] as { text: string }).text)
  return structuredContent as Members
}

test('“take 2 nano for order 17 and tell me when it is paid”: an agent does it with MCP alone (contract 1, Tools for agents: tasks; 4.1, Payments, wallets, faucet, swap: checkout_status)', async (t) => {
  const { url, app, join } = await openGateway(t)
  const { key } = await join()
  const agent = await openMcpClient(t, url, key)
  const text = await follow(agent, 'take_payment', { amount: '2', order: '17' })
  assert.match(text, /checkout_status with the `id` and wait_seconds 50/)
  const { address } = await done(agent, 'wallet_create', { idempotency_key: 'wallet-17' })
  const order = { address, amount: '2', currency: 'NANO', title: 'Order 17', metadata: { order: '17' } }
  const made = await done(agent, 'checkout', { ...order, idempotency_key: 'order-17' })
  // Without `wait` it answers at once, otherwise when the status changes.
  assert.equal((await done(agent, 'checkout_status', { id: made.id })).status, 'pending')
  let answered = false
  const waiting = done(agent, 'checkout_status', { id: made.id, wait_seconds: 50 }).finally(() => (answered = true))
  await done(agent, 'version', {})
  assert.equal(answered, false)
  await give(
    app.devnet!.node,
    fromAddress(String(address))!,
    BigInt(String(made.amount_raw)) as ReturnType<typeof nano>,
  )
  let told = await waiting
  for (let tries = 0; told.status !== 'complete' && tries < 5; tries++) {
    told = await done(agent, 'checkout_status', { id: made.id, wait_seconds: 50 })
  }
  assert.deepEqual([told.status, told.amount_paid_raw], ['complete', made.amount_raw])
  assert.match(String((told.block as Members).hash), /^[0-9A-F]{64}$/)
  // A final status is answered at once, whatever `wait` says.
  assert.equal((await done(agent, 'checkout_status', { id: made.id, wait_seconds: 60 })).status, 'complete')
})

test('“pay 0.5 nano to @alice, never more than 1 nano a day”: the third payment of a day is refused by the key’s limit (contract 1, Tools for agents: tasks)', async (t) => {
  const alice = new Signer(41)
  const names = { KNOWN_NAMES: JSON.stringify({ alice: alice.address }) }
  // Its time passes, and is noon: three payments are those of one day, whenever this runs.
  const noon = (1.5 * DAY - ((systemClock.now() / 1_000) % DAY)) * 1_000
  const clock = new FollowingClock(() => Math.floor(systemClock.now() + noon))
  const { url, app, join, rest } = await openGateway(t, names, clock)
  const { key: ownersKey } = await join()
  const limits = { name: 'Agent', scopes: ['read', 'wallets:read', 'wallets:send'], spend_daily_nano: '1' }
  const { key } = (await rest('POST', '/api/keys', ownersKey, limits)).json()
  const agent = await openMcpClient(t, url, key)
  const { address } = await done(agent, 'wallet_create', { idempotency_key: 'wallet' })
  await give(app.devnet!.node, fromAddress(String(address))!, nano(5))
  await done(agent, 'wallet_receive', { account: address, idempotency_key: 'receive' })

  const pay = async (payment: string) => {
    const text = await follow(agent, 'send_payment', { to: '@alice', amount: '0.5', daily_limit: '1' })
    assert.match(text, /Never send more than 1 nano in a day/)
    const { result } = await done(agent, 'wallet_list', {})
    const wallet = (result as Members[]).find(({ balance }) => BigInt(String(balance)) >= nano(1) / 2n)!
    const { history } = await done(agent, 'account_history', { account: wallet.address, count: 100 })
    const today = Math.floor(clock.now() / 1_000 / DAY) * DAY
    const sent = (history as Members[])
      .filter(({ type, local_timestamp: at }) => type === 'send' && Number(at) >= today)
      .reduce((sum, { amount_nano: amount }) => sum + Number(amount), 0)
    if (sent + 0.5 > 1) return 'over the limit'
    const asked = { account: wallet.address, to: '@alice', amount: '0.5', idempotency_key: payment }
    const { hash } = await done(agent, 'wallet_send', asked)
    assert.deepEqual(await done(agent, 'wallet_send', asked), { hash }, 'a lost answer is asked for again')
    return 'sent'
  }
  assert.deepEqual([await pay('one'), await pay('two'), await pay('three')], ['sent', 'sent', 'over the limit'])
  // An agent that was tricked is stopped by its key's scopes.
  const more = await useTool(agent, 'wallet_send', {
    account: address,
    to: '@alice',
    amount: '0.5',
    idempotency_key: 'x',
  })
  assert.match((more.content[0] as { text: string }).text, /spending_limit/)
  assert.equal(app.devnet!.node.ledger.receivableSum(alice.key, false), nano(1))
})
