import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dumpStore } from '../../../test/support/dump-store.ts'
import { type Made, openWorld, sender } from '../../../test/support/email-steps.ts'

const GOOD = { refund_address: sender, amount: '1', emails: ['alice@example.com', 'bob@example.com'] }

test('the store holds no mail address in the clear', async (t) => {
  const world = await openWorld(t)
  // Nor in a stored answer, nor in what a mail server says about the recipient.
  world.mails.deferred.add('quokka@example.com').add('wombat@example.com')
  const headers = { authorization: `Bearer ${world.key}`, 'idempotency-key': 'two' }
  const fields = { ...GOOD, emails: ['quokka@example.com'], email_receipt: 'wombat@example.com' }
  const made = (await world.gateway.call('nano_email', fields, headers)).json<Made>()
  const again = (await world.gateway.call('nano_email', fields, headers)).json<Made>()
  assert.deepEqual([again.id, again.emails[0]!.email], [made.id, 'quokka@example.com'])
  await world.fund(made.address, '1')
  const { db } = world.gateway.app.store
  const mailing = () =>
    db.selectFrom('jobs').select('last_error').where('kind', 'in', ['email.invite', 'email.tell']).execute()
  await world.turnUntil(async () => (await mailing()).filter(({ last_error: error }) => error !== null).length === 2)
  assert.match((await mailing())[0]!.last_error!, /450/)
  assert.doesNotMatch(JSON.stringify(await dumpStore(db)), /quokka|wombat/)
  assert.doesNotMatch(world.gateway.log(), /quokka|wombat/)
})
