import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveBackFree, takeFree } from '../../src/modules/accounts/index.ts'
import { forEachEngine } from '../support/engines.ts'

const ALLOWANCE = { max: 30, windowMilliseconds: 1_800_000 }
const NOW = 1_700_000_000_000

forEachEngine((_engine, open) => {
  test('40 callers on two instances share one free allowance, and get not one more', async (t) => {
    const { ctx, openAnother } = await open(t)
    const stores = [ctx.db, (await openAnother()).ctx.db]
    const asked = { caller: 'acc:1', meter: 'work', now: NOW }
    const takes = await Promise.all(Array.from({ length: 40 }, (_, at) => takeFree(stores[at % 2]!, asked, ALLOWANCE)))
    assert.equal(takes.filter((take) => 'taken' in take).length, 30)
    const refused = takes.find((take) => 'freeAt' in take)
    assert.deepEqual(refused, { freeAt: NOW + ALLOWANCE.windowMilliseconds })
  })

  test('failed uses are given back, and after the period the allowance is whole again', async (t) => {
    const { ctx } = await open(t)
    const one = { max: 1, windowMilliseconds: 1_000 }
    const asked = { caller: 'ip:192.0.2.1', meter: 'work', now: NOW }
    const first = await takeFree(ctx.db, asked, one)
    assert.ok('taken' in first)
    await giveBackFree(ctx.db, first.taken)
    assert.ok('taken' in (await takeFree(ctx.db, asked, one)))
    assert.ok('freeAt' in (await takeFree(ctx.db, { ...asked, now: NOW + 999 }, one)))
    assert.ok('taken' in (await takeFree(ctx.db, { ...asked, now: NOW + 1_000 }, one)))
    await giveBackFree(ctx.db, first.taken)
    assert.ok('freeAt' in (await takeFree(ctx.db, { ...asked, now: NOW + 1_001 }, one)), 'an older stretch is over')
    assert.ok('taken' in (await takeFree(ctx.db, { ...asked, meter: 'wallet_send' }, one)), 'each thing has its own')
  })
})
