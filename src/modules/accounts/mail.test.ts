import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { smtpMailer } from '../../infra/mail/smtp.ts'
import { redeemSignIn, requestSignIn } from './domain/sign-in.ts'
import { until } from '../../../test/support/until.ts'
import { openRoutes } from '../../../test/support/mounted-routes.ts'
import { tokenOf } from '../../../test/support/mail-server.ts'

/* Mail through a real server on loopback. */

interface Received {
  from: string
  to: string[]
  data: string
}

interface MailServer {
  url: string
  received: Received[]
  /** Refuses this many mails before it takes one. */
  refusals: number
}

async function openMailServer(t: TestContext): Promise<MailServer> {
  const state: MailServer = { url: '', received: [], refusals: 0 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'user' && password === 'p@ss' ? done(null, { user: username }) : done(new Error('No.')),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (state.refusals > 0) {
          state.refusals--
          done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
          return
        }
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        state.received.push({ from, to: rcptTo.map(({ address }) => address), data: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => server.close(resolve)))
  state.url = `smtp://user:p%40ss@127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return state
}

const FROM = 'nano-gateway <noreply@gateway.test>'

test('a mail arrives with our sender, message id and text', async (t) => {
  const server = await openMailServer(t)
  const mailer = smtpMailer(server.url, FROM)
  t.after(() => mailer.close())
  await mailer.send({ id: 'mail_1', recipient: 'Alice@example.com', subject: 'Grüße', text: 'Line one\nLine two ✓' })
  const [mail, ...others] = server.received
  assert.deepEqual(others, [])
  assert.deepEqual([mail!.from, mail!.to], ['noreply@gateway.test', ['Alice@example.com']])
  assert.match(mail!.data, /^Message-ID: <mail_1@gateway\.test>\r$/m)
  assert.match(mail!.data, /^To: Alice@example\.com\r$/m)
  assert.match(mail!.data, /Line one/)
})

test('one recipient is one recipient, whatever its text looks like', async (t) => {
  const server = await openMailServer(t)
  const mailer = smtpMailer(server.url, FROM)
  t.after(() => mailer.close())
  for (const recipient of [
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'x <b@example.com>',
  ]) {
    await mailer.send({ id: 'mail_2', recipient, subject: 'x\r\nBcc: c@example.com', text: 'x' }).catch(() => undefined)
  }
  for (const { to, data } of server.received) {
    assert.equal(to.length, 1)
    assert.doesNotMatch(data, /^Bcc:/im)
  }
})

test('a server that refuses, or is not there, is tried again by the job until the mail arrives', async (t) => {
  const server = await openMailServer(t)
  server.refusals = 3
  const mailer = smtpMailer(server.url, FROM)
  t.after(() => mailer.close())
  const { ctx, clock, store } = await openRoutes(t, { mailer })
  await requestSignIn(ctx, { email: 'alice@example.com', baseUrl: 'http://gateway.test' })
  const job = () =>
    store.db.selectFrom('jobs').selectAll().where('kind', '=', 'accounts.mail-sign-in').executeTakeFirstOrThrow()
  const errors = new Set<string | null>()
  await until(async () => {
    const { status, last_error: error } = await job()
    if (status === 'ready') {
      errors.add(error)
      clock.advance(1_000)
    }
    return status === 'done'
  })
  // A machine that stalls may cost the line to the server, and with it a try more.
  assert.ok((await job()).attempts >= 4)
  assert.match([...errors].join(), /451|Try again/)
  assert.equal(server.received.length, 1)
  // Long lines are folded for the way.
  const text = server.received[0]!.data.replaceAll('=\r\n', '').replaceAll('\r\n', '\n')
  assert.equal((await redeemSignIn(ctx, tokenOf(text))).account.email, 'alice@example.com')
})

test('a server that is not there fails the mail and says so', async (t) => {
  const mailer = smtpMailer('smtp://127.0.0.1:1', FROM)
  t.after(() => mailer.close())
  await assert.rejects(mailer.send({ id: 'm', recipient: 'a@example.com', subject: 's', text: 't' }), /ECONNREFUSED/)
})

test('a server that wants another password gets no mail, and the error does not tell ours', async (t) => {
  const server = await openMailServer(t)
  const mailer = smtpMailer(server.url.replace('p%40ss', 'sEcReT'), FROM)
  t.after(() => mailer.close())
  const mail = { id: 'm', recipient: 'a@example.com', subject: 's', text: 't' }
  await assert.rejects(mailer.send(mail), (error: Error) => !/sEcReT/.test(`${error.message}${error.stack}`))
  assert.deepEqual(server.received, [])
})
