import assert from 'node:assert/strict'
import { parseNano } from '../../../src/kernel/money.ts'
import { call } from '../../support/rpc.ts'
import { ask } from '../../support/gateway.ts'
import type { Account } from '../../support/purse.ts'
import type { Walker } from '../walker.ts'

const BUDGET = '0.1'

/** The gateway is ready once it has a node on the right network that is in sync. */
export async function beReady(walker: Walker): Promise<void> {
  await walker.look('ready', `${walker.gateway.url}/health/ready`, () => true)
  await walker.call('block count', 'block_count')
  await walker.call('representatives', 'representatives_online')
}

/** Funds the purse from the given account: the send is listed as receivable, then received. */
export async function fund(walker: Walker): Promise<void> {
  const { customer } = walker
  const funds = walker.purse.source
  const { address } = customer
  await walker.receive(funds)
  const unopened = await walker.call('balance of nobody', 'account_balance', { account: address })
  assert.deepEqual([unopened.balance, unopened.receivable], ['0', '0'])
  const before = await walker.gateway.call('account_info', { account: address })
  assert.equal(walker.note('account of nobody', before).error, 'Account not found')
  const hash = await walker.send(funds, address, BUDGET)
  const raw = `${parseNano(BUDGET)!}`
  const waiting = await walker.call<{ blocks: Record<string, string> }>('receivable', 'receivable', {
    account: address,
    threshold: '1',
  })
  assert.deepEqual(waiting.blocks, { [hash]: raw })
  const balance = await walker.receive(customer)
  assert.equal(`${balance}`, raw)
  const { frontier } = await walker.call('account', 'account_info', { account: address })
  await walker.confirmed(frontier!)
  await walker.call('block', 'block_info', { hash, json_block: 'true' })
  const history = await walker.call<{ history: { type: string; amount: string }[] }>('history', 'account_history', {
    account: address,
    count: '5',
  })
  assert.deepEqual(
    history.history.map(({ type, amount }) => [type, amount]),
    [['receive', raw]],
  )
  await agree(walker, 'funded', customer)
}

/** The gateway's answers about an account must equal its node's. */
export async function agree(walker: Walker, when: string, { address }: Account): Promise<void> {
  const balance = await walker.call(`balance, ${when}`, 'account_balance', { account: address })
  const info = await walker.call(`account, ${when}`, 'account_info', { account: address })
  const told = await call(walker.nodeUrl, 'account_balance', { account: address })
  const known = await call(walker.nodeUrl, 'account_info', { account: address })
  assert.deepEqual([balance.balance, balance.receivable], [told.balance, told.receivable])
  assert.deepEqual([info.frontier, info.balance, info.block_count], [known.frontier, known.balance, known.block_count])
}

/** Publishing an old block again must be refused with the node's error. */
export async function refuse(walker: Walker): Promise<void> {
  const { address } = walker.customer
  const { frontier } = await walker.call('frontier', 'account_info', { account: address })
  const { contents } = await walker.call<{ contents: object }>('newest block', 'block_info', {
    hash: frontier,
    json_block: 'true',
  })
  const again = await walker.gateway.call('process', { json_block: 'true', block: contents })
  walker.note('the same block again', again)
  const unknown = await walker.gateway.call('block_info', { hash: '1'.repeat(64) })
  assert.equal(walker.note('unknown block', unknown).error, 'Block not found')
}

/** Returns all remaining money to the account that paid. */
export async function giveBack(walker: Walker): Promise<void> {
  await agree(walker, 'at the end', walker.customer)
  await walker.purse.giveBack()
  const reply = await ask(walker.gateway.url, {
    body: JSON.stringify({
      action: 'accounts_balances',
      accounts: walker.purse.accounts.map(({ address }) => address),
    }),
  })
  const { balances } = reply.json<{ balances: Record<string, { balance: string; receivable: string }> }>()
  for (const { balance, receivable } of Object.values(balances)) assert.deepEqual([balance, receivable], ['0', '0'])
}
