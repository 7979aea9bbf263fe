import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { smtpMailer } from '../../infra/mail/smtp.ts'
import { redeemSignIn, requestSignIn } from './domain/sign-in.ts'
import { until } from '../../../test/support/until.ts'
import { openRoutes } from '../../../test/support/mounted-routes.ts'
import { openMailServer, tokenOf } from '../../../test/support/mail-server.ts'

const FROM = 'nano-gateway <noreply@gateway.test>'

/** A server that requires a password, and a mailer that has it. */
async function openMail(t: TestContext, password = 'p%40ss') {
  const server = await openMailServer(t)
  const mailer = smtpMailer(server.url.replace('//', `//user:${password}@`), FROM)
  t.after(() => mailer.close())
  return { server, mailer }
}

test('a mail arrives with our sender, message id and text, and one recipient is one, whatever its text looks like', async (t) => {
  const { server, mailer } = await openMail(t)
  await mailer.send({ id: 'mail_1', recipient: 'Alice@example.com', subject: 'Grüße', text: 'Line one\nLine two ✓' })
  const [mail, ...others] = server.received
  assert.deepEqual(others, [])
  assert.deepEqual([mail!.from, mail!.to], ['noreply@gateway.test', ['Alice@example.com']])
  assert.deepEqual([mail!.messageId, mail!.text.trim()], ['<mail_1@gateway.test>', 'Line one\nLine two ✓'])
  assert.match(mail!.data, /^To: Alice@example\.com\r$/m)
  const several = ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'x <b@example.com>']
  for (const recipient of several) {
    await mailer.send({ id: 'mail_2', recipient, subject: 'x\r\nBcc: c@example.com', text: 'x' }).catch(() => undefined)
  }
  for (const { to, data } of server.received) {
    assert.equal(to.length, 1)
    assert.doesNotMatch(data, /^Bcc:/im)
  }
})

test('a server that refuses, or is not there, is tried again by the job until the mail arrives', async (t) => {
  const { server, mailer } = await openMail(t)
  server.deferred.add('alice@example.com')
  const { ctx, clock, store } = await openRoutes(t, { mailer })
  await requestSignIn(ctx, { email: 'alice@example.com', ip: '192.0.2.1', baseUrl: 'http://gateway.test' })
  const job = () =>
    store.db.selectFrom('jobs').selectAll().where('kind', '=', 'accounts.mail-sign-in').executeTakeFirstOrThrow()
  const errors = new Set<string | null>()
  await until(async () => {
    const { status, attempts, last_error: error } = await job()
    if (status === 'ready') {
      if (attempts >= 3) server.deferred.clear()
      errors.add(error)
      clock.advance(1_000)
    }
    return status === 'done'
  })
  // On a slow machine the connection may time out, which costs one attempt.
  assert.ok((await job()).attempts >= 4)
  assert.match([...errors].join(), /450|Greylisted/)
  assert.equal(server.received.length, 1)
  assert.equal((await redeemSignIn(ctx, tokenOf(server.received[0]!.text))).account.email, 'alice@example.com')
})

test('an unreachable server is reported; one that refuses the password gets no mail, and the error does not contain the password', async (t) => {
  const mail = { id: 'm', recipient: 'a@example.com', subject: 's', text: 't' }
  const nowhere = smtpMailer('smtp://127.0.0.1:1', FROM)
  t.after(() => nowhere.close())
  await assert.rejects(nowhere.send(mail), /ECONNREFUSED/)
  const { server, mailer } = await openMail(t, 'sEcReT')
  await assert.rejects(mailer.send(mail), (error: Error) => !/sEcReT/.test(`${error.message}${error.stack}`))
  assert.deepEqual(server.received, [])
})
