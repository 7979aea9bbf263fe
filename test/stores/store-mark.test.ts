import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../src/infra/db/open.ts'
import { StoreMark } from '../../src/infra/db/store-mark.ts'
import { openIds } from '../../src/infra/random.ts'
import { TestClock } from '../support/clock.ts'
import { openFresh } from '../support/engines.ts'
import { receiveFailures } from '../support/failures.ts'
import { openFolder } from '../support/folder.ts'
import { testRandom } from '../support/random.ts'
import { until } from '../support/until.ts'

test('a gateway ended as if its store were restored: its mark had moved while a new connection was asked for it', async (t) => {
  const { store } = await openFresh(t, 'sqlite')
  const clock = new TestClock()
  let admit!: Parameters<Store['onConnection']>[0]
  const needs = { db: store.db, isReplaced: () => false, onConnection: (asked: typeof admit) => void (admit = asked) }
  const ids = openIds(testRandom)
  const mark = await StoreMark.open({ ...needs, clock, ids, failures: receiveFailures(), dataDir: openFolder(t) })
  const restored: string[] = []
  t.after(mark.watch((reason) => restored.push(reason)))
  const read = async () =>
    (await store.db.selectFrom('store_facts').select('value').where('name', '=', 'mark').executeTakeFirstOrThrow())
      .value
  const value = await read()
  const isAdmitted = admit()
  clock.advance(5_000)
  await until(async () => (await read()) !== value)
  await until(() => Promise.resolve(clock.waiting > 0))
  assert.deepEqual([isAdmitted({ value, isReadOnly: false }), restored], [true, []])
  assert.equal(admit()({ value, isReadOnly: false }), false, 'asked for afterwards, it is older')
})
