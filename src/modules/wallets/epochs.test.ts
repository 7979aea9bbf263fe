import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRaw } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import { type StateBlock, ZERO_HASH, hashBlock } from '../../kernel/nano/block.ts'
import { signHash } from '../../kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../kernel/nano/network.ts'
import { findWalletByAddress } from './store.ts'
import { nano, publish } from '../../../test/support/blocks.ts'
import { openWorld, turnUntil } from '../../../test/support/checkout-steps.ts'
import { ENGINES } from '../../../test/support/engines.ts'
import { FaultyNode } from '../../../test/support/faulty-node.ts'
import { SHOP, comeToRest, openWallet, send } from '../../../test/support/wallet-steps.ts'
import type { LedgerNode } from '../../devnet/index.ts'

/* The network upgrades accounts by blocks that their owners have not signed. */

const EPOCHS = ['epoch v1 block', 'epoch v2 block'].map((words) =>
  Buffer.from(words.padEnd(32, '\0')).toString('hex').toUpperCase(),
)

/** Opens an account that has receivable sends by an upgrade, or upgrades it further; returns the block's hash. */
function upgrade(ledger: LedgerNode, address: string, previous = ZERO_HASH): Promise<string> {
  const draft: StateBlock = {
    type: 'state',
    account: fromAddress(address)!,
    previous,
    representative: fromAddress('nano_1111111111111111111111111111111111111111111111111111hifc8npp')!,
    balance: toRaw(0n),
    link: EPOCHS[previous === ZERO_HASH ? 0 : 1]!,
    signature: '',
    work: '0'.repeat(16),
  }
  return publish(ledger, { ...draft, signature: signHash(DEV_NETWORK.genesisPrivateKey, hashBlock(draft)) })
}

for (const engine of ENGINES) {
  test(`${engine}: a wallet that the network has upgraded freezes because a node is behind its first own block`, async (t) => {
    const world = await openWorld(t, engine)
    const node = await FaultyNode.start(t, { ledger: world.ledger })
    const gateway = await world.start({ NODE_URLS: node.url, WALLET_WAIT_MS: '2000' })
    const { headers } = await gateway.join()
    const { address } = (await gateway.call('cloud_wallet', {}, headers)).json<{ address: string }>()
    await world.pay(address, nano(5))
    const epoch = await upgrade(world.ledger.node, address)
    const { db } = gateway.app.store
    const isAt = async (balance: bigint) => (await findWalletByAddress(db, address))!.balance === balance
    await gateway.call('cloud_wallet', { account: address, receive: true }, headers)
    await turnUntil(world, 1_000, () => isAt(nano(5)))

    const answer = { frontier: epoch, open_block: epoch, balance: '0', representative: address }
    node.lie('account_info', (info, body) => (body.includes(address) ? { ...info, ...answer } : info))
    const behind = new Set([(await findWalletByAddress(db, address))!.frontier])
    node.lie('block_info', (info, body) =>
      [...behind].some((hash) => body.includes(hash)) ? { error: 'Block not found' } : info,
    )
    const pay = { account: address, send: SHOP, amount: '1' }
    const asked = gateway.call('cloud_wallet', pay, headers)
    let isOver = false
    void asked.finally(() => (isOver = true))
    await turnUntil(world, 500, () => Promise.resolve(isOver))
    assert.equal((await asked).json().code, 'wallet_busy')
    node.beHonest()
    const again = await gateway.call('cloud_wallet', pay, headers)
    assert.equal(again.status, 200, again.text)
  })
}

// An upgrade can lose its election like any other block: nothing may be signed on a block that may disappear.
test('an upgrade that is not confirmed is waited for, and taken over when it is', async (t) => {
  const { world, instance, wallet } = await openWallet(t)
  await world.deposit(wallet, nano(5))
  world.ledger.hold()
  const epoch = await upgrade(world.ledger, wallet)
  const { id } = (await findWalletByAddress(world.db, wallet))!
  const look = async () => {
    await world.db.updateTable('wallets').set({ looked_at: 0 }).where('id', '=', id).execute()
    await world.finish(instance.look())
    const { frontier, frozenAt } = (await findWalletByAddress(world.db, wallet))!
    return [frontier, frozenAt]
  }
  assert.deepEqual(await look(), [ZERO_HASH, null])
  await world.ledger.release()
  assert.deepEqual(await look(), [epoch, null])
  await world.finish(send(world, instance, wallet))
  await comeToRest(world, instance, wallet)
  assert.equal(world.fundsOf(SHOP), nano(1))
})

test('a wallet that was upgraded twice while it rested is not frozen', async (t) => {
  const { world, instance, wallet } = await openWallet(t)
  await world.deposit(wallet, nano(5))
  await upgrade(world.ledger, wallet, await upgrade(world.ledger, wallet))
  await world.finish(send(world, instance, wallet))
  await comeToRest(world, instance, wallet)
  assert.deepEqual([world.fundsOf(SHOP), world.alarms], [nano(1), []])
})
