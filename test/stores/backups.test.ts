import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { backUpInto, backupGauge } from '../../src/infra/db/rolling-backup.ts'
import { openStore } from '../../src/store/schema.ts'
import { fileOf, openFresh } from '../support/engines.ts'
import { fill } from '../support/filled-store.ts'

const HOUR = 3_600_000

test('copies are written one after another, the oldest go, and each opens as the store of its moment', async (t) => {
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
  const names = readdirSync(folder).filter((name) => name.endsWith('.db'))
  assert.equal(names.length, 3)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.part')),
    [],
  )
  assert.ok(names.includes('gateway-mine.db'))
  assert.equal(statSync(third.file).mode & 0o077, 0)
  const copy = await openStore(`sqlite:${second.file}`, clock)
  t.after(() => copy.close())
  assert.equal((await copy.db.selectFrom('accounts').select('id').execute()).length, 3)
  clock.leap(90_000)
  assert.deepEqual(await gauge.read(), [{ value: 90 }])
})

test('a copy that fails deletes no other, and its age goes on', async (t) => {
  const { store, ctx, clock, url } = await openFresh(t, 'sqlite')
  const folder = join(dirname(fileOf(url)), 'backups')
  mkdirSync(folder)
  const { file } = await backUpInto(store, { folder, keep: 1, now: clock.now() })
  clock.leap(HOUR)
  const full = { db: store.db, backup: () => Promise.reject(new Error('The disk is full.')) }
  await assert.rejects(backUpInto(full, { folder, keep: 1, now: clock.now() }), /full/)
  assert.equal(statSync(file).isFile(), true)
  assert.deepEqual(await backupGauge(ctx).read(), [{ value: 3_600 }])
})
