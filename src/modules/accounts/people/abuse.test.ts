import { OPERATOR, actorOf } from '../../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jwtVerify } from 'jose'
import { hexToBytes } from '../../../kernel/nano/hex.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { forEachEngine } from '../../../../test/support/engines.ts'
import { openPeople } from '../../../../test/support/people-steps.ts'
import { signOutPeople, suspendAccount } from '../domain/change-standing.ts'
import { sessionSecretContext } from '../tables.ts'
import { findAccount } from '../store.ts'
import { acceptInvitation, inviteMember } from './invitation.ts'
import { MAIL_INVITATION } from './mails.ts'
import { changeRole, removeMember } from './members.ts'
import { findMemberByEmail } from './members-store.ts'
import { placeFor } from './membership.ts'

/* What members of an account, or invited people, could take although it is not theirs. */

forEachEngine((engine) => {
  test('a gateway of the version before does not take a guest for the whole account', async (t) => {
    const { world, ctx, accountId, invite } = await openPeople(t, engine)
    const { id } = await invite('eve@example.com', 'cashier')
    const token = await world.sessions.create(accountId, { memberId: id })
    const [encrypted] = await ctx.db.selectFrom('session_secrets').select(['id', 'secret']).execute()
    const secret = hexToBytes(world.secrets.open(sessionSecretContext(encrypted!.id), encrypted!.secret))
    const currentDate = new Date(world.clock.now())
    // The only thing that this version checks in a token.
    const verify = (one: string) =>
      jwtVerify(one, secret, { issuer: 'nano-gateway', audience: 'dashboard', currentDate })
    await assert.rejects(verify(token), /aud/)
    await verify(await world.sessions.create(accountId))
    assert.equal((await world.sessions.read(token))?.member?.id, id)
  })

  test('a manager of an account without an owner does not make himself one by a key of his own', async (t) => {
    const { world, ctx } = await openPeople(t, engine)
    const { accountId, key } = await world.join(null)
    const body = { email: 'm@example.com', role: 'manager' }
    const { member } = (await world.ask('POST', '/api/members', { headers: { key }, body })).json<{
      member: { id: string }
    }>()
    await acceptInvitation(ctx, { email: 'm@example.com', id: member.id })
    const headers = { authorization: `Bearer ${await world.sessions.create(accountId, { memberId: member.id })}` }
    const made = await world.ask('POST', '/api/keys', { headers, body: { name: 'mine' } })
    const raise = { headers: { key: made.json<{ key: string }>().key }, body: { role: 'owner' } }
    assert.equal((await world.ask('PUT', `/api/members/${member.id}`, raise)).statusCode, 403)
    assert.equal((await world.ask('DELETE', `/api/members/${member.id}`, { headers: { key } })).statusCode, 200)
  })

  test('opening another place is no sign-in: it ends when the one before would have, which ends now', async (t) => {
    const { world, ctx, accountId, bring } = await openPeople(t, engine)
    const bob = await bring('bob@example.com', 'reader')
    const own = await world.join('bob@example.com')
    const token = await world.sessions.create(own.accountId)
    const began = world.clock.now()
    world.clock.advance(1_000_000)
    const { id, provedAt, provedBy, member } = (await world.sessions.read(token))!
    const from = { id, beganAt: began, provedAt, provedBy }
    const moved = await world.sessions.move(from, { accountId, memberId: bob.id })
    const session = (await world.sessions.read(moved))!
    assert.deepEqual([session.beganAt, session.provedAt, session.member?.id], [began, began, bob.id])
    assert.equal(await world.sessions.read(token), undefined)
    await signOutPeople(ctx, { accountId: own.accountId, actor: OPERATOR })
    const back = await world.sessions.move(session, { accountId: own.accountId, memberId: member!.id })
    assert.equal(await world.sessions.read(back), undefined, 'who was signed out there is not let in from elsewhere')
  })

  test('a session that says no more than the account ends when its address becomes another person’s', async (t) => {
    const { world, ctx, accountId, owner, by, bring } = await openPeople(t, engine)
    const token = await world.sessions.create(accountId)
    const bob = await bring('bob@example.com', 'owner')
    world.clock.advance(1_000)
    assert.ok(await world.sessions.read(token))
    await removeMember(ctx, { id: owner.id, by: by(bob.id) })
    assert.equal((await findAccount(ctx.db, accountId))?.email, 'bob@example.com')
    assert.equal(await world.sessions.read(token), undefined)
  })

  test('who was removed or lowered does not come back by an invitation of their own', async (t) => {
    const { ctx, owner, by, invite, bring } = await openPeople(t, engine)
    const gone = await bring('m@example.com', 'manager')
    const lowered = await bring('n@example.com', 'manager')
    const second = await invite('second@example.com', 'manager', gone.id)
    const third = await invite('third@example.com', 'manager', lowered.id)
    await removeMember(ctx, { id: gone.id, by: by(owner.id) })
    await changeRole(ctx, { id: lowered.id, role: 'reader', by: by(owner.id) })
    for (const { email, id } of [second, third]) {
      await assert.rejects(acceptInvitation(ctx, { email, id }), { code: 'not_found' })
    }
  })

  test('mails about accounts to one person are limited, however many people invite or change them', async (t) => {
    const { world, ctx, owner, by, invite, bring } = await openPeople(t, engine)
    const mailsTo = async (email: string) => {
      const jobs = await ctx.db
        .selectFrom('jobs')
        .selectAll()
        .where('kind', 'in', ['mail.send', MAIL_INVITATION])
        .execute()
      const invited = await ctx.db.selectFrom('members').select('id').where('email', '=', email).execute()
      // The job of an invitation contains the member's id; the mail is written when it is sent.
      const about = [email, ...invited.map(({ id }) => `"${id}"`)]
      return jobs.filter(({ payload }) => about.some((name) => payload.includes(name))).length
    }
    const { id } = await bring('d@example.com', 'reader')
    for (let at = 0; at < 12; at++) {
      await changeRole(ctx, { id, role: at % 2 === 0 ? 'cashier' : 'reader', by: by(owner.id) })
    }
    assert.equal(await mailsTo('d@example.com'), 1 + 5)
    for (let at = 0; at < 12; at++) {
      const { accountId } = await world.join(`shop${at}@example.com`)
      const from = (await findMemberByEmail(ctx.db, { accountId, email: `shop${at}@example.com` }))!
      const wanted = { email: 'victim@example.com', role: 'reader', baseUrl: 'https://pay.example' } as const
      await inviteMember(ctx, { ...wanted, by: { accountId, actor: actorOf.person(from.id) } })
    }
    assert.equal(await mailsTo('victim@example.com'), 10)
    await invite('victim@example.com', 'reader')
    assert.ok(await inTx(ctx, (tx) => placeFor(tx, 'victim@example.com', true)), 'the invitation stands')
  })

  test('who is suspended in their own account can still say yes elsewhere', async (t) => {
    const { world, ctx, accountId, invite } = await openPeople(t, engine)
    const own = await world.join('bob@example.com')
    await invite('bob@example.com', 'reader')
    await suspendAccount(ctx, { accountId: own.accountId, actor: OPERATOR, reason: 'Abuse.' })
    const { account } = await inTx(ctx, (tx) => placeFor(tx, 'bob@example.com', true))
    assert.equal(account.id, accountId)
  })
})
