import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resumeAccount, suspendAccount } from '../accounts/index.ts'
import { findWalletByAddress } from './store.ts'
import { findBlock, insertSend } from './outbox-store.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { SHOP, codeOf, comeToRest, openWallet, send } from '../../../test/support/wallet-steps.ts'

forEachEngine((engine) => {
  test('sends of a suspended account wait while its wallet receives; after it is resumed they are made once', async (t) => {
    const { world, instance, wallet } = await openWallet(t, { engine })
    const { accountId } = world
    await world.deposit(wallet, nano(5))
    const { id: walletId } = (await findWalletByAddress(world.db, wallet))!
    const terms = { accountId, destination: SHOP, amount: nano(1), reference: 'one', createdAt: world.clock.now() }
    await insertSend(world.db, { id: 'held', walletId, purpose: 'send', ...terms, deadlineAt: null })
    await suspendAccount(world.ctx, { accountId, actor: OPERATOR, reason: 'Abuse.' })
    await world.deposit(wallet, nano(2))
    await comeToRest(world, instance, wallet)
    assert.equal(world.fundsOf(SHOP), 0n)
    assert.equal((await findBlock(world.db, 'held'))!.status, 'queued')
    await resumeAccount(world.ctx, { accountId, actor: OPERATOR, reason: 'Settled.' })
    await world.finish(instance.settle())
    await comeToRest(world, instance, wallet)
    assert.equal(world.fundsOf(SHOP), nano(1))
    assert.equal((await findBlock(world.db, 'held'))!.status, 'confirmed')
  })

  test('a send with an end that is held beyond it is refused, and nothing leaves later', async (t) => {
    const { world, instance, wallet } = await openWallet(t, { engine })
    const { accountId } = world
    await world.deposit(wallet, nano(5))
    await suspendAccount(world.ctx, { accountId, actor: OPERATOR, reason: 'Abuse.' })
    assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_busy')
    // The process whose client waited for this send has died.
    const { id: walletId } = (await findWalletByAddress(world.db, wallet))!
    const now = world.clock.now()
    const terms = { accountId, destination: SHOP, amount: nano(1), reference: 'two', createdAt: now, deadlineAt: now }
    await insertSend(world.db, { id: 'late', walletId, purpose: 'send', ...terms })
    await comeToRest(world, instance, wallet)
    assert.equal((await findBlock(world.db, 'late'))!.status, 'refused')
    await resumeAccount(world.ctx, { accountId, actor: OPERATOR, reason: 'Settled.' })
    await comeToRest(world, instance, wallet)
    assert.equal(world.fundsOf(SHOP), 0n)
  })
})
