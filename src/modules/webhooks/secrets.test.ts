import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyWebhook } from '../../../docs/examples/verify-webhook.ts'
import { openSecretBox } from '../../infra/secrets/secret-key.ts'
import { accountSecret, rotateAccountSecret } from './domain/account-secret.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { ACCOUNT, answerWith, openReceiver, openWebhooks } from '../../../test/support/webhook-steps.ts'

/* Which secret signs, and for how long (contract 6). */

forEachEngine((engine) => {
  test('an account has one secret, however many ask for its first at once, and one in another account’s row does not open', async (t) => {
    const world = await openWebhooks(t, engine)
    const asked = await Promise.all(Array.from({ length: 10 }, () => accountSecret(world.ctx, ACCOUNT)))
    assert.equal(new Set(asked.map(({ current }) => current)).size, 1)
    assert.notEqual((await accountSecret(world.ctx, 'acc_bob')).current, asked[0]!.current)
    const rows = world.store.db.updateTable('webhook_secrets').set({ account_id: 'acc_eve' })
    await rows.where('account_id', '=', 'acc_bob').execute()
    await assert.rejects(accountSecret(world.ctx, 'acc_eve'))
  })

  test('an attempt is signed with the secret valid at that time, not at the time of the event', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t, answerWith(500))
    await world.tell({ url: receiver.url })
    const { current: fresh } = await rotateAccountSecret(world.ctx, { accountId: ACCOUNT, actor: OPERATOR })
    await world.toNextAttempt()
    const { body, headers } = receiver.requests[1]!
    verifyWebhook(body, headers, fresh, world.clock.now() / 1000)
  })

  test('an account whose secret was encrypted with a lost key gets another by rotating', async (t) => {
    const world = await openWebhooks(t, engine)
    const receiver = await openReceiver(t)
    const { random } = world.ctx
    await accountSecret({ ...world.ctx, secrets: openSecretBox(random.bytes(32), random) }, ACCOUNT)
    await assert.rejects(accountSecret(world.ctx, ACCOUNT))
    // The payment has happened, whatever became of the key.
    await world.tell({ url: receiver.url })
    assert.equal(world.attempts[0]!.code, 'secret_unreadable')
    const { current, previous } = await rotateAccountSecret(world.ctx, { accountId: ACCOUNT, actor: OPERATOR })
    assert.equal(previous, undefined)
    await world.tell({ url: receiver.url })
    const { body, headers } = receiver.requests[0]!
    verifyWebhook(body, headers, current, world.clock.now() / 1000)
  })
})
