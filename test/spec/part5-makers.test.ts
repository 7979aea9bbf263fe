import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scope } from '../../src/kernel/rights.ts'
import { Signer } from '../support/blocks.ts'
import { forEachEngine } from '../support/engines.ts'
import { type Gateway, type Reply, bearer } from '../support/gateway.ts'
import { sendForm } from '../support/form-steps.ts'
import { openMcpClient, useTool } from '../support/mcp-client.ts'
import { openStaff } from '../support/people-steps.ts'

/* Contract 5: a key never has more rights than the person who made it, neither when it is made nor later. */

interface Made {
  id: string
  key: string
  scopes: Scope[]
  made_by: string | null
}

const thief = new Signer(77).address

function assertMissing(reply: Reply, scope: Scope): void {
  const { code, scope: missing } = reply.json()
  assert.deepEqual([reply.status, code, missing], [403, 'missing_scope', scope], reply.text)
}

/** The key was accepted: the error is only that the wallet is empty. */
const assertSends = (reply: Reply) => assert.equal(reply.json().code, 'insufficient_funds', reply.text)

forEachEngine((engine) => {
  /** A shop with an empty wallet: an accepted send fails with `insufficient_balance`. */
  async function openShop(t: Parameters<typeof openStaff>[0]) {
    const staff = await openStaff(t, engine)
    const { gateway, key } = staff
    const wallet = (await gateway.call('cloud_wallet', {}, bearer(key))).json().address!
    const send = (key: string, at: Gateway = gateway) =>
      at.call('cloud_wallet', { account: wallet, send: thief, amount: '1' }, bearer(key))
    const make = async (by: string, body: object = {}) => {
      const reply = await gateway.rest('POST', '/api/keys', by, { name: 'made', ...body })
      assert.equal(reply.status, 201, reply.text)
      return reply.json<Made>()
    }
    return { ...staff, wallet, send, make }
  }

  test('a developer emptied the wallets with a key of their own making: a key is made with no scope that its maker’s role lacks (contract 5, rules 31 and 38)', async (t) => {
    const { gateway, bring, send, make } = await openShop(t)
    const dora = await bring('dora', 'developer')
    const ask = (body: object) => gateway.rest('POST', '/api/keys', dora.token, { name: 'Mine', ...body })
    for (const scope of ['wallets:send', 'refunds', 'email', 'checkout', 'keys'] as const) {
      const reply = await ask({ scopes: ['read', scope] })
      assertMissing(reply, scope)
      assert.match(reply.json().error!, new RegExp(`As a developer you cannot give a key the scope ${scope}`))
    }
    assertMissing(await ask({ kind: 'public', origins: ['https://shop.example'] }), 'checkout')
    const mine = await make(dora.token)
    assert.deepEqual([mine.scopes, mine.made_by], [['read', 'work', 'wallets:read', 'webhooks'], dora.id])
    assertMissing(await send(mine.key), 'wallets:send')
    const { tools } = await (await openMcpClient(t, gateway.url, mine.key)).listTools()
    assert.deepEqual(
      tools.map(({ name }) => name).filter((name) => /checkout_refund|nano_email/.test(name)),
      [],
    )
    // Nobody else may see the owner's keys either.
    const { keys } = (await gateway.rest('GET', '/api/keys', dora.token)).json<{ keys: Made[] }>()
    const whole = keys.find(({ scopes }) => scopes.includes('wallets:send'))!
    assert.equal((await gateway.rest('POST', `/api/keys/${whole.id}/rotate`, dora.token)).status, 403)
  })

  test('a manager who was made a developer went on sending with an old key: a lowered role lowers its keys at once, at every gateway, with the keys they made and the sessions they opened (contract 5, rule 38)', async (t) => {
    const { gateway, start, bring, send, make, owner, sessions, accountId } = await openShop(t)
    const second = engine === 'postgres' ? await start() : gateway
    const bob = await bring('bob', 'manager')
    const parent = await make(bob.token)
    const child = await make(parent.key)
    const session = await sessions.create(accountId, { keyId: parent.id })
    const publicKey = await make(bob.token, { kind: 'public', origins: ['https://shop.example'] })
    const buy = () =>
      second.call(
        'checkout',
        { address: thief, amount: '1' },
        { ...bearer(publicKey.key), origin: 'https://shop.example' },
      )
    assert.deepEqual([child.made_by, publicKey.made_by], [bob.id, bob.id])
    for (const { key } of [parent, child]) {
      for (const at of [gateway, second]) assertSends(await send(key, at))
    }
    assert.equal((await buy()).status, 200)
    assert.equal((await gateway.rest('GET', '/api/checkouts', session)).status, 200)

    const lower = (role: string) => gateway.rest('PUT', `/api/members/${bob.id}`, owner, { role })
    assert.equal((await lower('developer')).status, 200)
    for (const { key } of [parent, child]) {
      assertMissing(await send(key), 'wallets:send')
      assertMissing(await send(key, second), 'wallets:send')
      assertMissing(await gateway.rest('POST', '/api/keys', key, { name: 'again' }), 'keys')
      assert.equal((await gateway.call('version', {}, bearer(key))).status, 200)
    }
    assertMissing(await buy(), 'checkout')
    assertMissing(await gateway.rest('GET', '/api/checkouts', session), 'checkout')
    const { keys } = (await gateway.rest('GET', '/api/keys', owner)).json<{ keys: Made[] }>()
    assert.deepEqual(keys.find(({ id }) => id === child.id)!.scopes, ['read', 'work', 'wallets:read', 'webhooks'])

    // A key rotated by an owner belongs to the owner, with the rights that it had left.
    const taken = (await gateway.rest('POST', `/api/keys/${child.id}/rotate`, owner)).json<Made>()
    assert.equal((await lower('manager')).status, 200)
    assertSends(await send(parent.key))
    assertMissing(await send(taken.key), 'wallets:send')
    assert.equal((await gateway.rest('DELETE', `/api/members/${bob.id}`, owner)).status, 200)
    assert.equal((await gateway.call('version', {}, bearer(taken.key))).status, 200)
  })

  test('a gateway that had not learned of it yet sent with a key whose rights were taken away: before money moves and before a key is made the store is asked (contract 5, rule 38)', async (t) => {
    const { ctx, gateway, bring, send, make } = await openShop(t)
    const bob = await bring('bob', 'manager')
    const { key } = await make(bob.token)
    assertSends(await send(key))
    // Changed in the store, as by another gateway whose notification has not arrived yet.
    await ctx.db.updateTable('members').set({ role: 'developer' }).where('id', '=', bob.id).execute()
    assertMissing(await send(key), 'wallets:send')
    assertMissing(await gateway.rest('POST', '/api/keys', key, { name: 'again' }), 'keys')
  })

  test('a developer’s key moved money by another way in: by every one of them it sends, gives back and redirects nothing, also a key of before the role was lowered (contract 5, rules 31 and 38)', async (t) => {
    const { gateway, bring, make, owner, accountId, wallet } = await openShop(t)
    const dora = await bring('dora', 'developer')
    const bob = await bring('bob', 'manager')
    const old = await make(bob.token)
    assert.equal((await gateway.rest('PUT', `/api/members/${bob.id}`, owner, { role: 'developer' })).status, 200)
    const send = { account: wallet, send: thief, amount: '1' }
    const link = (await gateway.rest('POST', '/api/links', owner, { address: thief, amount: '1' })).json().id!
    const mail = { amount: '1', emails: ['thief@example.com'], refund_address: thief }
    const actions: [string, Scope, object][] = [
      ['cloud_wallet', 'wallets:send', send],
      ['cloud_wallet', 'wallets:send', { account: wallet, wallet_action: 'send', address: thief, amount: 'all' }],
      ['cloud_wallet', 'wallets:send', { account: wallet, delete: true }],
      ['cloud_wallet', 'wallets:send', { refund_address: thief }],
      ['checkout_refund', 'refunds', { id: '0123456789abcdef', amount: '1' }],
      ['nano_email', 'email', mail],
      ['payment_link', 'checkout', { address: thief, amount: '1' }],
      ['checkout', 'checkout', { address: thief, amount: '1' }],
    ]
    const routes: [string, string, Scope, object][] = [
      ['POST', '/api/checkouts/0123456789abcdef/refunds', 'refunds', { amount: '1' }],
      ['POST', '/api/admin/checkouts/0123456789abcdef/refunds', 'refunds', { amount: '1' }],
      ['DELETE', '/api/emails/0123456789abcdef', 'email', {}],
      ['PUT', `/api/links/${link}`, 'checkout', { address: thief }],
      ['POST', '/api/pos', 'checkout', { address: thief, title: 'Counter' }],
      ['POST', '/api/keys', 'keys', { name: 'More' }],
    ]
    for (const { key } of [old, await make(dora.token)]) {
      const client = await openMcpClient(t, gateway.url, key)
      for (const [action, scope, fields] of actions) {
        const asked = { action, ...fields }
        for (const headers of [bearer(key), { key }, { 'x-api-key': key }])
          assertMissing(await gateway.call(action, fields, headers), scope)
        assertMissing(await gateway.call(action, { ...fields, key }), scope)
        for (const path of ['/', `/actions/${action}`, '/node']) {
          const reply = await gateway.rest('POST', `${path}?key=${key}`, undefined, asked)
          // The node endpoint has none of these.
          if (path !== '/node') assertMissing(reply, scope)
          else assert.ok(reply.status >= 400 || 'error' in reply.json(), reply.text)
        }
        const rpc = { jsonrpc: '2.0', id: 1, method: action, params: fields }
        const both = (await gateway.post(JSON.stringify([asked, rpc]), bearer(key))).json<
          [{ code: string }, { error: { data: { code: string } } }]
        >()
        assert.deepEqual([both[0].code, both[1].error.data.code], ['missing_scope', 'missing_scope'], action)
        const tool = await useTool(client, action, fields)
        assert.ok(tool.isError === true && JSON.stringify(tool).includes('missing_scope'), JSON.stringify(tool))
      }
      for (const [method, path, scope, body] of routes)
        assertMissing(await gateway.rest(method, path, key, body), scope)
      const entered = await sendForm(`${gateway.url}/dashboard/sign-in/key`, { key })
      assert.ok(entered.status >= 400 && entered.headers['set-cookie'] === undefined, String(entered.status))
    }
    const { db } = gateway.ctx
    const moved = await db.selectFrom('wallet_blocks').select('id').where('account_id', '=', accountId).execute()
    assert.deepEqual(moved, [])
  })

  test('somebody who was dismissed went on sending with their keys: these end with the membership, and the list says so (contract 5, rules 30 and 38)', async (t) => {
    const { gateway, bring, send, make, owner } = await openShop(t)
    const bob = await bring('bob', 'manager')
    const parent = await make(bob.token)
    const child = await make(parent.key)
    const others = await make(owner)
    assertSends(await send(child.key))
    assert.equal((await gateway.rest('DELETE', `/api/members/${bob.id}`, owner)).status, 200)
    for (const { key } of [parent, child]) assert.equal((await send(key)).status, 401)
    assertSends(await send(others.key))
    const { keys } = (await gateway.rest('GET', '/api/keys', owner)).json<{ keys: (Made & { status: string })[] }>()
    for (const { id } of [parent, child]) assert.equal(keys.find((key) => key.id === id)!.status, 'revoked')
    const { text } = await gateway.rest('GET', '/api/activity.csv?kind=key', owner)
    assert.match(text, new RegExp(`revoked the key ${child.id}, which was made by bob@example\\.com`))
  })

  test('a manager’s key opened what only owners may: in an account without an owner it makes none, and it administers nothing (contract 5, rules 29 and 38)', async (t) => {
    const { gateway, ctx, bring, make } = await openShop(t)
    const bob = await bring('bob', 'manager')
    const { key } = await make(bob.token)
    await ctx.db.updateTable('members').set({ ended_at: 1 }).where('role', '=', 'owner').execute()
    const raised = await gateway.rest('PUT', `/api/members/${bob.id}`, key, { role: 'owner' })
    assert.deepEqual([raised.status, raised.json().scope], [403, 'owners'])
    await ctx.db
      .updateTable('accounts')
      .set({ role: 'admin' })
      .where('id', '=', (await ctx.db.selectFrom('members').select('account_id').executeTakeFirstOrThrow()).account_id)
      .execute()
    const later = await make(bob.token)
    assert.ok(!later.scopes.includes('keys'))
    for (const path of ['/api/accounts', '/api/jobs']) {
      assert.equal((await gateway.rest('GET', path, later.key)).status, 403, path)
    }
  })
})
