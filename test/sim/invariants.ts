import assert from 'node:assert/strict'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { ZERO_HASH } from '../../src/kernel/nano/block.ts'
import type { WalletWorld } from '../support/wallet-world.ts'

/** A send whose hash a client got. */
export interface Acknowledged {
  hash: string
  from: string
  destination: string
  /** Undefined for a send of the whole balance. */
  amount: bigint | undefined
}

export interface History {
  /** Sum of all deposits from outside. */
  deposited: bigint
  /** Addresses that are not wallets. */
  recipients: readonly string[]
  acknowledged: readonly Acknowledged[]
}

/** What must be true of wallets once nothing is in progress any more. */
export async function assertAtRest(
  world: Pick<WalletWorld, 'db' | 'ledger' | 'fundsOf' | 'alarms'>,
  { deposited, recipients, acknowledged }: History,
): Promise<void> {
  const { db, ledger } = world
  const { store } = ledger.ledger
  const wallets = await db.selectFrom('wallets').selectAll().execute()
  const blocks = await db.selectFrom('wallet_blocks').selectAll().execute()
  const plans = await db.selectFrom('wallet_plans').selectAll().execute()

  assert.deepEqual(world.alarms, [])
  const sum = (addresses: readonly string[]) => addresses.reduce((total, address) => total + world.fundsOf(address), 0n)
  const held = sum(wallets.map(({ address }) => address)) + sum(recipients)
  assert.equal(held, deposited, 'not one raw was lost or made')

  const unfinished = blocks.filter(({ status }) => status !== 'confirmed' && status !== 'refused')
  assert.deepEqual(unfinished, [], 'every block that was begun is confirmed')
  const confirmed = blocks.filter(({ status }) => status === 'confirmed')
  for (const wallet of wallets) {
    const own = confirmed.filter(({ wallet_id: id }) => id === wallet.id)
    const account = store.findAccount(fromAddress(wallet.address)!)
    assert.equal(account?.blockCount ?? 0, own.length, 'the ledger has our blocks and no others')
    assert.equal(account?.head ?? ZERO_HASH, wallet.frontier)
    assert.equal(account?.balance ?? 0n, BigInt(wallet.balance_raw))
    assert.notEqual(wallet.status, 'expiring')
    const isOver = wallet.status === 'ended' || wallet.status === 'deleted'
    if (isOver) assert.equal(world.fundsOf(wallet.address), 0n, 'what ended is empty')
  }
  for (const recipient of recipients) {
    const sent = confirmed.filter(({ destination }) => destination === recipient)
    const total = sent.reduce((sum, row) => sum + BigInt(row.amount_raw!), 0n)
    assert.equal(world.fundsOf(recipient), total, 'each got what was sent to them, once')
  }
  for (const { hash, from, destination, amount } of acknowledged) {
    const block = store.findBlock(hash)
    assert.ok(block && ledger.ledger.isConfirmed(block), 'an acknowledged send is on the ledger')
    assert.equal(block.account, fromAddress(from))
    assert.ok(block.block.type === 'state' && block.block.link === fromAddress(destination))
    if (amount !== undefined) assert.equal(block.amount, amount)
  }
  for (const plan of plans) {
    assert.equal(plan.status, 'done', 'every plan is finished')
    const shares = confirmed.filter(({ plan_id: id }) => id === plan.id)
    const total = shares.reduce((sum, row) => sum + BigInt(row.amount_raw!), 0n)
    assert.equal(total, BigInt(plan.total_raw), 'a plan shares out exactly what there was')
  }
}
