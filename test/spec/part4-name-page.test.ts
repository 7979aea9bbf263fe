import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { leaseName } from '../support/lease-name.ts'

/* Contract 4.1: the page of a name, for programs and search engines. */

const { address } = new Signer(93)
const DAY = 86_400_000

test('the page of a leased name shows whom it pays and makes no checkout; no other name has a page (contract 4.1, rule 30)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, {}, clock)
  const { key } = await gateway.join()
  const { account } = (await gateway.rest('GET', '/api/account', key)).json<{ account: { id: string } }>()
  const name = await leaseName(gateway.ctx, account.id, address)
  const get = (path: string, accept = 'application/json') =>
    ask(`${gateway.url}${path}`, { method: 'GET', headers: { accept } })
  assert.deepEqual((await get(`/@${name}`)).json(), { name, address, link: `nano:${address}` })
  const amount_raw = `15${'0'.repeat(29)}`
  const link = `nano:${address}?amount=${amount_raw}`
  const asked = (await get(`/@${name.toUpperCase()}?amount=1.5`)).json()
  assert.deepEqual(asked, { name, address, link, amount: '1.5', amount_raw })
  const wrong = await get(`/@${name}?amount=lots`)
  assert.deepEqual([wrong.status, wrong.json().field], [400, 'amount'])

  const robots = async () => {
    const { status, headers, text } = await get(`/@${name}`, 'text/html')
    assert.ok(status === 200 && text.includes(address))
    return headers['x-robots-tag']
  }
  assert.equal(await robots(), 'noindex, nofollow')
  assert.equal((await gateway.rest('PUT', `/api/names/${name}`, key, { indexed: true })).status, 200)
  assert.equal(await robots(), undefined)
  const made = await gateway.app.store.db.selectFrom('checkouts').select('id').execute()
  assert.deepEqual(made, [])

  assert.equal((await get('/@nobody')).status, 404)
  clock.advance(31 * DAY)
  assert.equal((await get(`/@${name}`)).status, 404, 'in grace it pays nobody')
})
