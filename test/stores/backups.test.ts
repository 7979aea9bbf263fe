import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { backUpInto, backupGauge } from '../../src/infra/db/rolling-backup.ts'
import { openStore } from '../../src/store/schema.ts'
import { fileOf, openFresh } from '../support/engines.ts'
import { fill } from '../support/filled-store.ts'

const HOUR = 3_600_000

test('copies are written one after another, the oldest go, each opens as the store of its moment; one that fails deletes none, and the age goes on', async (t) => {
  const { store, ctx, clock, url } = await openFresh(t, 'sqlite')
  const folder = join(dirname(fileOf(url)), 'backups')
  mkdirSync(folder)
  writeFileSync(join(folder, '.gateway-of-a-crash.db.part'), 'half')
  writeFileSync(join(folder, 'gateway-mine.db'), 'of its operator')
  const gauge = backupGauge(ctx)
  assert.deepEqual(await gauge.read(), [])
  const back = () => backUpInto(store, { folder, keep: 2, now: clock.now() })
  const first = await back()
  await fill(ctx)
  clock.leap(HOUR)
  const second = await back()
  clock.leap(HOUR)
  const third = await back()
  assert.deepEqual([first.deleted, second.deleted, third.deleted.length], [[], [], 1])
  const kept = [basename(second.file), basename(third.file), 'gateway-mine.db']
  assert.deepEqual(readdirSync(folder).sort(), kept)
  assert.equal(statSync(third.file).mode & 0o077, 0)
  const copy = await openStore(`sqlite:${second.file}`, clock)
  t.after(() => copy.close())
  assert.equal((await copy.db.selectFrom('accounts').select('id').execute()).length, 3)
  clock.leap(90_000)
  assert.deepEqual(await gauge.read(), [{ value: 90 }])
  const full = { db: store.db, backup: () => Promise.reject(new Error('The disk is full.')) }
  await assert.rejects(backUpInto(full, { folder, keep: 1, now: clock.now() }), /full/)
  assert.ok(kept.every((name) => readdirSync(folder).includes(name)))
  clock.leap(HOUR)
  assert.deepEqual(await gauge.read(), [{ value: 3_690 }])
})
