import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createApiKey } from '../../kernel/api-key.ts'
import { AppError } from '../../kernel/errors.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import { createAccount, createFirstAdministrator, identify, issueKey, listKeys, revokeKey } from './index.ts'
import { StoredKeys } from './stored-keys.ts'
import { grantCredits } from './domain/credits.ts'
import { redeemSignIn, mailSignIn } from './domain/sign-in.ts'
import { rotateKey } from './domain/keys.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { dumpStore, listAudit, untouchable } from '../../../test/support/dump-store.ts'
import { tokenOf } from '../../../test/support/mail-server.ts'
import { receiveFailures } from '../../../test/support/failures.ts'
import { testRandom } from '../../../test/support/random.ts'

const DAY = 24 * 3_600_000
const refused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

test('a key with a wrong checksum is refused without a look-up, and so is everything that is no key (contract 5, rule 14)', async () => {
  const clock = new TestClock()
  const keys = new StoredKeys({ db: untouchable, clock, failures: receiveFailures() })
  const key = createApiKey('secret', testRandom)
  const typo = `${key.slice(0, 20)}${key[20] === 'a' ? 'b' : 'a'}${key.slice(21)}`
  for (const text of [typo, key.slice(0, -1), `${key}1`, key.replace('sk', 'pk'), key.toLowerCase(), 'rpc_sk_', '']) {
    assert.equal(keys.find(text), undefined)
    if (text !== '') await assert.rejects(async () => identify(keys, text, undefined), refused('invalid_key'))
  }
  await assert.rejects(async () => keys.find(key), /The store was asked/)
})

forEachEngine((_engine, open) => {
  const openKeys = async (t: TestContext) => {
    const opened = await open(t)
    const { id: accountId } = await createAccount(opened.ctx, { email: 'a@example.com', role: 'user', actor: OPERATOR })
    const keys = new StoredKeys(opened.ctx)
    const issue = (more: object = {}) =>
      issueKey(opened.ctx, { accountId, kind: 'secret', name: 'One', actor: OPERATOR, ...more })
    const revoke = (keyId: string) => revokeKey(opened.ctx, { accountId, keyId, actor: OPERATOR })
    const rotate = (keyId: string, more: object = {}) =>
      rotateKey(opened.ctx, { accountId, keyId, actor: OPERATOR, ...more })
    return { ...opened, accountId, keys, issue, revoke, rotate }
  }

  test('401 a revoked key, at once where it was revoked and after half a minute where no notice came; a look-up from before is not remembered', async (t) => {
    const { ctx, clock, keys, issue, revoke } = await openKeys(t)
    const elsewhere = new StoredKeys(ctx)
    const { text, key } = await issue()
    assert.ok(await keys.find(text))
    assert.ok(await elsewhere.find(text))
    keys.forget(await revoke(key.id))
    await assert.rejects(async () => identify(keys, text, undefined), refused('invalid_key'))
    assert.ok(await elsewhere.find(text))
    clock.advance(30_000)
    assert.equal(await elsewhere.find(text), undefined)
    await assert.rejects(revoke(key.id), refused('not_found'))

    const other = await issue()
    const early = keys.find(other.text)
    const hash = await revoke(other.key.id)
    const begun = keys.find(other.text)
    keys.forget(hash)
    await Promise.all([early, begun])
    keys.forget(hash)
    assert.equal(await keys.find(other.text), undefined)
  })

  test('a rotated key works beside the new one for its overlap, and ends to the millisecond; ten rotations at once make one (contract 5, rule 13)', async (t) => {
    const { ctx, clock, accountId, keys, issue, rotate } = await openKeys(t)
    const old = await issue({ kind: 'public', name: 'Shop', origins: ['https://shop.example'] })
    const rotated = await rotate(old.key.id)
    keys.forget(rotated.oldHash!)
    const { kind, name, origins } = rotated.key
    assert.deepEqual({ kind, name, origins }, { kind: 'public', name: 'Shop', origins: ['https://shop.example'] })
    clock.advance(DAY - 1)
    assert.ok(await keys.find(old.text))
    assert.ok(await keys.find(rotated.text))
    await assert.rejects(rotate(old.key.id), refused('conflict'))
    clock.advance(1)
    assert.equal(await keys.find(old.text), undefined)
    assert.ok(await keys.find(rotated.text))
    await assert.rejects(rotate(old.key.id), refused('not_found'))
    keys.forget((await rotate(rotated.key.id, { overlapMilliseconds: 0 })).oldHash!)
    assert.equal(await keys.find(rotated.text), undefined)

    const { key } = await issue()
    const before = (await listKeys(ctx.db, accountId, 50)).length
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => rotate(key.id)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await listKeys(ctx.db, accountId, 50)).length, before + 1)
  })

  test('when a key was last used is written once a minute, and never backwards', async (t) => {
    const { ctx, clock, accountId, keys, issue, openAnother } = await openKeys(t)
    const { text, key } = await issue()
    const lastUsed = async () => (await listKeys(ctx.db, accountId, 1))[0]!.lastUsedAt
    const elsewhere = new StoredKeys({ ...ctx, db: (await openAnother()).ctx.db })
    await elsewhere.find(text)
    clock.advance(1_000)
    for (let times = 0; times < 100; times++) await keys.find(text)
    const usedAt = clock.now()
    assert.equal(await lastUsed(), null)
    clock.advance(10_000)
    await keys.flush()
    assert.equal(await lastUsed(), usedAt)
    await elsewhere.close()
    assert.equal(await lastUsed(), usedAt)
    await keys.flush()
    assert.equal(await lastUsed(), usedAt)
    assert.equal(key.lastUsedAt, null)
  })

  test('409 more than a hundred live keys, and a second account for one address, in whatever case', async (t) => {
    const { ctx, issue, revoke } = await openKeys(t)
    const [first] = await Promise.all(Array.from({ length: 100 }, () => issue()))
    await assert.rejects(issue(), refused('conflict'))
    await revoke(first!.key.id)
    await issue()
    await createAccount(ctx, { email: 'Ända@Example.com', role: 'user', actor: OPERATOR })
    const again = createAccount(ctx, { email: 'äNDA@example.COM', role: 'user', actor: OPERATOR })
    await assert.rejects(again, refused('conflict'))
  })

  test('every change leaves an audit row, and without the row there is no change', async (t) => {
    const { ctx, clock, accountId, issue } = await openKeys(t)
    const next: StoreCtx['ids']['next'] = (prefix) => {
      if (prefix === 'aud') throw new Error('No audit.')
      return ctx.ids.next(prefix)
    }
    const unaudited = { ...ctx, ids: { next } }
    const { key } = await issue()
    const mailed: string[] = []
    const mailer = { send: async ({ text }: { text: string }) => void mailed.push(tokenOf(text)) }
    for (const recipient of ['a@example.com', 'new@example.com']) {
      await mailSignIn(ctx, mailer, { mailId: recipient, recipient, baseUrl: 'http://gateway.test' })
    }
    const grant = { accountId, amount: 5, reason: 'test', reference: 'r', actor: OPERATOR }
    const changes: ((on: StoreCtx) => Promise<unknown>)[] = [
      (on) => createFirstAdministrator(on),
      (on) => createAccount(on, { email: 'b@example.com', role: 'user', actor: OPERATOR }),
      (on) => issueKey(on, { accountId, kind: 'secret', name: 'Two', actor: OPERATOR }),
      (on) => grantCredits(on, grant),
      (on) => redeemSignIn(on, mailed[0]!),
      (on) => redeemSignIn(on, mailed[1]!),
      (on) => rotateKey(on, { accountId, keyId: key.id, actor: OPERATOR }),
      (on) => revokeKey(on, { accountId, keyId: key.id, actor: OPERATOR }),
    ]
    for (const change of changes) {
      const before = await dumpStore(ctx.db)
      await assert.rejects(change(unaudited), /No audit/)
      assert.deepEqual(await dumpStore(ctx.db), before)
      clock.advance(1)
      await change(ctx)
      assert.notEqual((await dumpStore(ctx.db)).audit_entries, before.audit_entries)
    }
    const told = (await listAudit(ctx.db, accountId)).sort().join(' ')
    const made = 'account.created account.signed-in credits.granted key.issued key.issued key.issued'
    assert.equal(told, `${made} key.revoked key.rotated`)
  })

  test('of instances that start at once on a new store, one makes the administrator (contract 5, How keys are issued: first start)', async (t) => {
    const { ctx, openAnother } = await open(t)
    const instances = [ctx, (await openAnother()).ctx, (await openAnother()).ctx]
    const made = await Promise.all(instances.map((on) => createFirstAdministrator(on)))
    assert.equal(made.filter((key) => key !== undefined).length, 1)
    assert.equal((await ctx.db.selectFrom('api_keys').selectAll().execute()).length, 1)
  })
})
