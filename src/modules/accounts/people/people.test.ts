import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listCapturedMail } from '../../../infra/mail/captured.ts'
import { forEachEngine } from '../../../../test/support/engines.ts'
import { openPeople } from '../../../../test/support/people-steps.ts'
import { until } from '../../../../test/support/until.ts'
import { actorOf } from '../../../kernel/actor.ts'
import { createAccount } from '../domain/create-account.ts'
import { Sessions } from '../domain/sessions.ts'
import { redeemSignIn } from '../domain/sign-in.ts'
import { findAccount, insertAccount } from '../store.ts'
import { acceptInvitation, findPlace, inviteMember, listPlaces } from './invitation.ts'
import { changeRole, handOver, leaveAccount, removeMember } from './members.ts'
import { insertMember, listMembers } from './members-store.ts'

/* The people of an account: invited, members, former members, and always an owner. */

const DAY = 86_400_000

forEachEngine((engine) => {
  async function openShop(t: TestContext) {
    const people = await openPeople(t, engine)
    const enter = async (member: { id: string }) => ({
      authorization: `Bearer ${await people.world.sessions.create(people.accountId, { memberId: member.id })}`,
    })
    return { ...people, enter }
  }
  const refused = (code: string) => (error: unknown) => (error as { code: string }).code === code

  test('an invitation is accepted once, in seven days, by the address it was sent to and by no other; a new one ends it (contract 5, rule 28)', async (t) => {
    const { world, ctx, invite, accountId } = await openShop(t)
    const { id } = await invite('Bob@Example.com', 'developer')
    const accept = (name: string, invited: string) =>
      acceptInvitation(ctx, { email: `${name}@example.com`, id: invited })
    const sent = async () =>
      (await listCapturedMail(ctx.db, 10)).find(({ recipient }) => recipient === 'bob@example.com')
    await until(async () => (await sent()) !== undefined)
    assert.match((await sent())!.text, new RegExp(`https://pay.example/dashboard/sign-in#${id}_\\w{40}\n`))
    await assert.rejects(accept('eve', id), refused('not_found'))
    const twice = await Promise.allSettled([accept('bob', id), accept('bob', id)])
    assert.deepEqual(twice.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    await assert.rejects(invite('bob@example.com', 'owner'), refused('conflict'))
    const late = await invite('late@example.com', 'reader')
    world.clock.advance(7 * DAY)
    await assert.rejects(accept('late', late.id), refused('not_found'))
    const people = (await listMembers(ctx.db, accountId)).map(({ email, joinedAt }) => `${email} ${joinedAt !== null}`)
    assert.deepEqual(people.sort(), ['bob@example.com true', 'late@example.com false', 'owner@example.com true'])
    const [first, second] = [await invite('ann@example.com', 'manager'), await invite('ann@example.com', 'reader')]
    await assert.rejects(accept('ann', first.id), refused('not_found'))
    assert.equal((await accept('ann', second.id)).role, 'reader')
    await Promise.all([1, 2, 3].map(() => invite('zoe@example.com', 'reader')))
    const invited = (await listMembers(ctx.db, accountId)).filter(({ email }) => email === 'zoe@example.com')
    assert.equal(invited.length, 1, 'of those that come at once one is left')
  })

  test('an invited person got two mails: the link in the first signs in once, and only to the invitation (contract 5, rule 28)', async (t) => {
    const { ctx, invite, by, bring, accountId, world } = await openShop(t)
    const tokenOf = async (name: string) => {
      const find = async () =>
        (await listCapturedMail(ctx.db, 50)).find(({ recipient }) => recipient.startsWith(`${name}@`))
      await until(async () => (await find()) !== undefined)
      return /#(\w+)/.exec((await find())!.text)?.[1]
    }
    const join = async (token: string) => {
      const { member, account } = await redeemSignIn(ctx, token, { mayBeGuest: true })
      return [member.email, member.role, member.joinedAt !== null, account.id]
    }
    await invite('Bob@example.com', 'cashier')
    const bob = (await tokenOf('bob'))!
    const tries = await Promise.allSettled([join(bob), join(bob), join(bob)])
    const [joined] = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.deepEqual(joined, ['bob@example.com', 'cashier', true, accountId])
    assert.deepEqual(tries.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])

    const gone = await invite('gone@example.com', 'reader')
    const withdrawn = (await tokenOf('gone'))!
    await removeMember(ctx, { id: gone.id, by: by(undefined) })
    await assert.rejects(join(withdrawn), refused('not_found'))

    await invite('late@example.com', 'reader')
    const late = (await tokenOf('late'))!
    await invite('new@example.com', 'reader')
    const old = (await tokenOf('new'))!
    // The address has got an account since then, which the link in an old mail must not open.
    await createAccount(ctx, { email: 'new@example.com', role: 'user', actor: by(undefined).actor })
    await assert.rejects(join(old), refused('invalid_key'))
    world.clock.advance(7 * DAY)
    await assert.rejects(join(late), refused('invalid_key'))

    // People who already have an account get a link without a token.
    await bring('known@example.com', 'reader')
    const other = await world.join('elsewhere@example.com')
    const [elsewhere] = await listMembers(ctx.db, other.accountId)
    const from = { accountId: other.accountId, actor: actorOf.person(elsewhere!.id) }
    await inviteMember(ctx, { email: 'known@example.com', role: 'reader', by: from, baseUrl: 'https://pay.example' })
    const leadsToPage = async () =>
      (await listCapturedMail(ctx.db, 50)).some(
        ({ recipient, text }) => recipient === 'known@example.com' && /dashboard\/accounts\/mem_\w+\n/.test(text),
      )
    await until(leadsToPage)
  })

  // Two owners who leave in the same second must not leave an account without an owner.
  test('an account is never without an owner, even if several leave, are removed or lose the role at once (contract 5, rule 29)', async (t) => {
    const { ctx, owner, bring, by, accountId } = await openShop(t)
    const other = await bring('second@example.com', 'owner')
    const owners = async () => (await listMembers(ctx.db, accountId)).filter(({ role }) => role === 'owner').length
    const lower = (id: string, as: string) => changeRole(ctx, { id, role: 'reader', by: by(as) })
    await Promise.allSettled([lower(owner.id, other.id), lower(other.id, owner.id)])
    const [kept, lowered] = (await listMembers(ctx.db, accountId)).sort((a, b) => (a.role < b.role ? -1 : 1))
    assert.deepEqual([kept!.role, lowered!.role], ['owner', 'reader'], 'who lower each other leave one of them')
    await changeRole(ctx, { id: lowered!.id, role: 'owner', by: by(kept!.id) })
    await assert.rejects(leaveAccount(ctx, { ...other, email: owner.email }), refused('not_found'), 'for another')
    const left = await Promise.allSettled([owner, other].map((one) => leaveAccount(ctx, one)))
    assert.deepEqual(left.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal(await owners(), 1)
    const last = (await listMembers(ctx.db, accountId)).find(({ role }) => role === 'owner')!
    await assert.rejects(leaveAccount(ctx, last), refused('conflict'))
    await assert.rejects(changeRole(ctx, { id: last.id, role: 'manager', by: by(last.id) }), refused('conflict'))
    await assert.rejects(removeMember(ctx, { id: last.id, by: by(last.id) }), refused('conflict'))
    assert.equal(await owners(), 1)
  })

  test('a manager changes everybody but owners, and makes none, of himself least; below a manager nobody changes anybody (contract 5, rule 29)', async (t) => {
    const { ctx, owner, bring, invite, by } = await openShop(t)
    const manager = await bring('manager@example.com', 'manager')
    const developer = await bring('dev@example.com', 'developer')
    const as = by(manager.id)
    for (const id of [manager.id, developer.id]) {
      await assert.rejects(changeRole(ctx, { id, role: 'owner', by: as }), refused('missing_scope'))
      await assert.rejects(handOver(ctx, { id, by: as }), refused('missing_scope'))
    }
    await assert.rejects(changeRole(ctx, { id: owner.id, role: 'reader', by: as }), refused('missing_scope'))
    await assert.rejects(removeMember(ctx, { id: owner.id, by: as }), refused('missing_scope'))
    await assert.rejects(invite('friend@example.com', 'owner', manager.id), refused('missing_scope'))
    // Once there is an owner, a key may not do it either, because a manager could have made that key.
    const raise = (role: 'owner' | 'manager', actor?: string) =>
      changeRole(ctx, { id: developer.id, role, by: by(actor) })
    await assert.rejects(raise('owner'), refused('missing_scope'))
    await assert.rejects(raise('manager', developer.id), refused('missing_scope'))
    assert.equal((await changeRole(ctx, { id: developer.id, role: 'cashier', by: as })).role, 'cashier')
  })

  test('handed over, the account has the other as its owner, at whose address it is written to, and who gave it as a manager', async (t) => {
    const { ctx, owner, bring, invite, by, accountId } = await openShop(t)
    const reader = await bring('next@example.com', 'reader')
    const invited = await invite('maybe@example.com', 'manager')
    await assert.rejects(handOver(ctx, { id: invited.id, by: by(owner.id) }), refused('conflict'))
    await handOver(ctx, { id: reader.id, by: by(owner.id) })
    const roles = Object.fromEntries((await listMembers(ctx.db, accountId)).map(({ email, role }) => [email, role]))
    assert.deepEqual([roles['next@example.com'], roles['owner@example.com']], ['owner', 'manager'])
    assert.equal((await findAccount(ctx.db, accountId))?.email, 'next@example.com')
  })

  // A person is removed while their browser is open at another instance.
  test('who is removed is out at once, on every instance, with every token; another role holds from the next request (contract 5, rule 30)', async (t) => {
    const { world, ctx, owner, bring, by, enter } = await openShop(t)
    const bob = await bring('bob@example.com', 'manager')
    const headers = await enter(bob)
    const elsewhere = new Sessions({ ...ctx, secrets: world.secrets })
    const token = headers.authorization.slice('Bearer '.length)
    const renewed = (await elsewhere.renew((await elsewhere.read(token))!))!
    const at = async (path: string) => (await world.ask('GET', path, { headers })).statusCode
    assert.deepEqual([await at('/api/keys'), await at('/api/members')], [200, 200])
    await changeRole(ctx, { id: bob.id, role: 'reader', by: by(owner.id) })
    assert.deepEqual([await at('/api/keys'), await at('/api/members'), await at('/api/account')], [403, 403, 200])
    await removeMember(ctx, { id: bob.id, by: by(owner.id) })
    assert.equal(await at('/api/account'), 401)
    for (const one of [token, renewed]) assert.equal(await elsewhere.read(one), undefined)
    await assert.rejects(findPlace(ctx, { email: 'bob@example.com', id: bob.id }), refused('not_found'))
    // After a new invitation they are a new member: nothing from before is valid again.
    const again = await bring('bob@example.com', 'reader')
    assert.notEqual(again.id, bob.id)
    assert.equal(await elsewhere.read(token), undefined)
  })

  test('a developer makes keys that make no keys, and rotates none that does; somebody removed makes none (contract 5, rule 31)', async (t) => {
    const { world, shop, ctx, owner, bring, by, enter } = await openShop(t)
    const bob = await bring('bob@example.com', 'developer')
    const headers = await enter(bob)
    const make = (body: object) => world.ask('POST', '/api/keys', { headers, body })
    const made = await make({ name: 'Mine' })
    const { key, id, scopes } = made.json<{ key: string; id: string; scopes: string[] }>()
    assert.deepEqual(scopes, ['read', 'work', 'wallets:read', 'webhooks'])
    assert.equal((await make({ name: 'More', scopes: ['read', 'keys'] })).statusCode, 403)
    assert.equal((await world.ask('POST', `/api/keys/${shop.keyId}/rotate`, { headers })).statusCode, 403)
    assert.equal((await world.ask('POST', `/api/keys/${id}/rotate`, { headers })).statusCode, 201)
    for (const path of ['/api/members', '/api/keys']) {
      assert.equal((await world.ask('GET', path, { headers: { key } })).statusCode, 403, path)
    }
    await removeMember(ctx, { id: bob.id, by: by(owner.id) })
    assert.equal((await make({ name: 'Late' })).statusCode, 401)
  })

  test('one address belongs to several accounts, and chooses; who was only invited gets no account of their own', async (t) => {
    const { world, ctx, accountId, invite, bring } = await openShop(t)
    const second = await world.join('bob@example.com')
    await bring('bob@example.com', 'cashier')
    const placesOf = async (name: string) => listPlaces(ctx, { email: `${name}@example.com` })
    const places = (await placesOf('bob')).map(({ account, member }) => `${account.id} ${member.role}`)
    assert.deepEqual(places, [`${second.accountId} owner`, `${accountId} cashier`])
    await invite('new@example.com', 'reader')
    const before = (await ctx.db.selectFrom('accounts').selectAll().execute()).length
    const invited = await placesOf('new')
    assert.deepEqual([invited.length, invited[0]!.member.joinedAt], [1, null])
    assert.equal((await ctx.db.selectFrom('accounts').selectAll().execute()).length, before)
  })

  test('a person who leaves keeps their address: signing in again makes an account; one of the previous version finds its owner', async (t) => {
    const { world, ctx, owner, bring, accountId } = await openShop(t)
    await bring('second@example.com', 'owner')
    await leaveAccount(ctx, owner)
    await world.signIn('owner@example.com')
    const [place] = await listPlaces(ctx, { email: 'owner@example.com' })
    assert.notEqual(place!.account.id, accountId)
    assert.equal((await findAccount(ctx.db, accountId))?.email, 'second@example.com')
    await insertAccount(ctx.db, { id: 'acc_old', email: 'old@example.com', role: 'user', createdAt: 1 })
    await world.signIn('old@example.com')
    const [old] = await listPlaces(ctx, { email: 'old@example.com' })
    assert.deepEqual([old!.account.id, old!.member.role], ['acc_old', 'owner'])
  })

  test('an account took in more people than it may have: the hundredth is invited, the one after is not, and those who left count no more', async (t) => {
    const { world, ctx, accountId, owner, enter } = await openShop(t)
    const joined = { accountId, role: 'reader', invitedBy: null, invitedAt: 1, expiresAt: null, joinedAt: 1 } as const
    const ids = Array.from({ length: 98 }, () => ctx.ids.next('mem'))
    for (const id of ids) await insertMember(ctx.db, { id, email: `${id}@example.com`, ...joined })
    const headers = await enter(owner)
    const invite = async (name: string) => {
      const body = { email: `${name}@example.com`, role: 'reader' }
      const reply = await world.ask('POST', '/api/members', { headers, body })
      return [reply.statusCode, reply.json<{ code?: string }>().code]
    }
    assert.deepEqual(await invite('hundredth'), [201, undefined])
    assert.deepEqual(await invite('next'), [409, 'conflict'])
    assert.deepEqual(await invite('hundredth'), [201, undefined], 'asked again')
    assert.equal((await world.ask('DELETE', `/api/members/${ids[0]!}`, { headers })).statusCode, 200)
    assert.deepEqual(await invite('next'), [201, undefined])
  })

  test('invitations cannot be used to send spam: thirty a day for an account, five for an address', async (t) => {
    const { world, ctx, invite, by, owner } = await openShop(t)
    for (let at = 0; at < 5; at++) await invite('bob@example.com', 'reader')
    await assert.rejects(invite('bob@example.com', 'reader'), refused('too_many_requests'))
    for (let at = 0; at < 25; at++) {
      const { id } = await invite(`p${at}@example.com`, 'reader')
      await removeMember(ctx, { id, by: by(owner.id) })
    }
    await assert.rejects(invite('one-more@example.com', 'reader'), refused('too_many_requests'))
    world.clock.advance(DAY)
    await invite('one-more@example.com', 'reader')
  })
})
