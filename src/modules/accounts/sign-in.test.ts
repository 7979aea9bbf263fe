import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../kernel/errors.ts'
import type { Mail } from '../../kernel/ports.ts'
import { forgetExpired } from './jobs.ts'
import { redeemSignIn, requestSignIn, mailSignIn } from './domain/sign-in.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { dumpStore, listAudit } from '../../../test/support/dump-store.ts'
import { tokenOf } from '../../../test/support/mail-server.ts'

/* Sign-in by a one-time link (contract 5). */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const baseUrl = 'http://gateway.test'
const ip = '192.0.2.1'
const refused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

forEachEngine((_engine, open) => {
  const openLinks = async (t: TestContext) => {
    const opened = await open(t)
    const recipients: string[] = []
    /** Mails a link at once; returns its token. */
    const mail = async (to: string) => {
      let token = ''
      const send = async ({ recipient, text }: Pick<Mail, 'recipient' | 'text'>) => {
        recipients.push(recipient)
        token = tokenOf(text)
      }
      await mailSignIn(opened.ctx, { send }, { mailId: 'mail_1', recipient: to, baseUrl })
      return token
    }
    return { ...opened, recipients, mail }
  }

  test('a link works once, on whichever instance it arrives first (contract 5, How keys are issued: action rpc_key, synonym gpu_key, with email)', async (t) => {
    const { ctx, mail, openAnother } = await openLinks(t)
    const other = (await openAnother()).ctx
    const token = await mail('a@example.com')
    const tries = Array.from({ length: 20 }, (_, at) => redeemSignIn(at % 2 === 0 ? ctx : other, token))
    const results = await Promise.allSettled(tries)
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    await assert.rejects(redeemSignIn(ctx, token), refused('invalid_key'))
    await assert.rejects(redeemSignIn(ctx, `${token}1`), refused('invalid_key'))
  })

  test('a link works for an hour, and is forgotten after a day', async (t) => {
    const { ctx, clock, mail } = await openLinks(t)
    const [early, late] = [await mail('a@example.com'), await mail('a@example.com')]
    await requestSignIn(ctx, { email: 'a@example.com', ip, baseUrl })
    clock.advance(HOUR - 1)
    const { account } = await redeemSignIn(ctx, early)
    assert.deepEqual(await listAudit(ctx.db, account.id), ['account.created', 'account.signed-in'])
    clock.advance(1)
    await assert.rejects(redeemSignIn(ctx, late), refused('invalid_key'))
    const sweep = () => forgetExpired(ctx, { keepRequests: undefined }).run({}, new AbortController().signal)
    await sweep()
    assert.equal((await ctx.db.selectFrom('sign_in_links').selectAll().execute()).length, 4)
    clock.advance(25 * HOUR)
    await sweep()
    assert.deepEqual(await ctx.db.selectFrom('sign_in_links').selectAll().execute(), [])
  })

  test('an address is the same in any case, its link goes to the address of the account, and two at once make one', async (t) => {
    const { ctx, recipients, mail } = await openLinks(t)
    const tokens = await Promise.all(['Alice@Example.com', 'alice@example.com', 'ALICE@EXAMPLE.COM'].map(mail))
    const found = await Promise.all(tokens.map((token) => redeemSignIn(ctx, token)))
    assert.equal(new Set(found.map(({ account }) => account.id)).size, 1)
    assert.equal(found[0]!.member.email, 'alice@example.com')
    // The Kelvin sign, whose lower case is a k.
    const token = await mail('mi\u212ae@example.com')
    assert.equal(recipients.at(-1), 'mike@example.com')
    assert.equal((await redeemSignIn(ctx, token)).member.email, 'mike@example.com')
  })

  test('429 the sixth link for an address within an hour, however they are asked for', async (t) => {
    const { ctx, clock, openAnother } = await openLinks(t)
    const other = (await openAnother()).ctx
    const email = (at: number) => (at % 3 === 0 ? 'Alice@Example.com' : 'alice@example.com')
    let callers = 0
    const ask = (by = ctx, of = 'alice@example.com') =>
      requestSignIn(by, { email: of, ip: `192.0.2.${++callers}`, baseUrl })
    const asked = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => ask(at % 2 === 0 ? ctx : other, email(at))),
    )
    assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 5)
    for (const result of asked) {
      if (result.status === 'rejected') assert.ok(refused('too_many_requests')(result.reason), String(result.reason))
    }
    const jobs = () => ctx.db.selectFrom('jobs').selectAll().where('kind', '=', 'accounts.mail-sign-in').execute()
    assert.equal((await jobs()).length, 5)
    await ask(ctx, 'bob@example.com')
    clock.advance(20 * MINUTE)
    await assert.rejects(ask(), (error: AppError) => {
      assert.deepEqual([error.status, error.retryAfterSeconds], [429, 40 * 60])
      return true
    })
    clock.advance(40 * MINUTE)
    for (let times = 0; times < 5; times++) {
      await ask()
      clock.advance(MINUTE)
    }
    await assert.rejects(ask(), refused('too_many_requests'))
    clock.advance(55 * MINUTE)
    await ask()
    await assert.rejects(ask(), refused('too_many_requests'))
  })

  // From one address that was an hour's 3,600 mails to strangers, at the operator's cost and in the operator's name.
  test('429 the hundred and first mailbox within an hour from one caller; others sign in all the same', async (t) => {
    const { ctx, clock } = await openLinks(t)
    const ask = (at: number, from = ip) => requestSignIn(ctx, { email: `victim${at}@example.com`, ip: from, baseUrl })
    for (let at = 0; at < 100; at++) await ask(at)
    await assert.rejects(ask(100), (error: AppError) => error.status === 429 && error.retryAfterSeconds === 3_600)
    assert.equal((await ctx.db.selectFrom('jobs').select('id').execute()).length, 100)
    await ask(100, '192.0.2.2')
    clock.advance(HOUR)
    await ask(101)
  })

  // Somebody who reads the store or a backup must not be able to sign in.
  test('the token is in the mail only; the queue and the links know nothing to sign in with (contract 5, rule 15)', async (t) => {
    const { ctx, mail } = await openLinks(t)
    await requestSignIn(ctx, { email: 'a@example.com', ip, baseUrl })
    const token = await mail('a@example.com')
    for (const [table, rows] of Object.entries(await dumpStore(ctx.db))) assert.ok(!rows.includes(token), table)
    const [job] = await ctx.db.selectFrom('jobs').select('payload').execute()
    assert.deepEqual(Object.keys(JSON.parse(job!.payload) as object).sort(), [
      'askedAt',
      'baseUrl',
      'mailId',
      'recipient',
    ])
    // The counted requests for mails are rows among the links.
    for (const { token_hash: text } of await ctx.db.selectFrom('sign_in_links').select('token_hash').execute()) {
      await assert.rejects(redeemSignIn(ctx, text), refused('invalid_key'))
    }
  })
})
