import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listLeasesOf } from '../../src/modules/names/index.ts'
import { NameIndex } from '../../src/modules/names/name-index.ts'
import { insertLease } from '../../src/modules/names/store.ts'
import { forEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'

const YEAR = 365 * 86_400_000
const NO_BUILT_IN = { names: [], aliases: [], reserved: [] }

/** A name as left by the payment of its first lease. */
const leased = (key: string, createdAt: number, accountId = 'acc_a') => ({
  ...{ key, name: key, owner: 'nano_o', address: `nano_${key}`, accountId, createdAt, changedAt: createdAt },
  ...{ expiresAt: createdAt + YEAR, graceUntil: createdAt + YEAR, indexed: false, profile: {} },
})

forEachEngine((_engine, open) => {
  test('a name whose notification was lost still reaches every instance soon, with its changes', async (t) => {
    const { ctx, clock } = await open(t)
    const onError = (error: unknown) => assert.fail(String(error))
    const book = new NameIndex({ db: ctx.db, clock, builtIn: NO_BUILT_IN, onError })
    t.after(() => book.stop())
    await book.start()
    const knows = (name: string) => book.known().some((known) => known.name === name)
    for (const name of ['alice', 'bob']) {
      await insertLease(ctx.db, leased(name, clock.now()))
      assert.equal(knows(name), false)
      await until(() => {
        if (knows(name)) return true
        clock.advance(1_000)
        return false
      })
    }
  })

  test('names of an account come newest first, page by page, each once, and only its own', async (t) => {
    const { db } = (await open(t)).ctx
    // Two are bought in the same moment.
    const times = { old: 1, twin: 2, also: 2, new: 3 }
    for (const [name, at] of Object.entries(times)) await insertLease(db, leased(name, at))
    await insertLease(db, leased('foreign', 2, 'acc_b'))
    const pages: string[] = []
    const ofAlice = { accountId: 'acc_a', limit: 1 }
    let page = await listLeasesOf(db, ofAlice)
    while (page.length > 0 && pages.length < 9) {
      pages.push(page[0]!.key)
      page = await listLeasesOf(db, { ...ofAlice, after: page[0]! })
    }
    assert.deepEqual(pages, ['new', 'also', 'twin', 'old'])
  })
})
