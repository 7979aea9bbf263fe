import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { nanswap } from './nanswap.ts'

const ORDER = {
  id: 'f9b9a2b3d4',
  from: 'XNO',
  to: 'BAN',
  expectedAmountFrom: 1,
  expectedAmountTo: 87.65,
  payinAddress: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  payoutAddress: 'ban_1',
}
const REQUEST = { id: 'swp_1', from: 'nano', to: 'ban', amount: '1', address: 'ban_1', refundAddress: 'nano_1' }
const FOLLOWED = { ...REQUEST, reference: ORDER.id, receive: '87.65', status: 'waiting', expiresAt: 0 } as const

async function open(t: TestContext, answers: Record<string, unknown>) {
  const asked: { path: string; body: string; key: string | undefined }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      asked.push({ path: request.url!, body, key: request.headers['nanswap-api-key'] as string | undefined })
      const answer = answers[request.url!.split('?')[0]!]
      response
        .writeHead(answer === undefined ? 500 : 200)
        .end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const provider = nanswap({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'secret' })
  return { provider, asked }
}

test('an order is placed with its own words for currencies, and followed to its end', async (t) => {
  const { provider, asked } = await open(t, {
    '/all-currencies': { XNO: { name: 'Nano' }, BAN: { name: 'Banano' } },
    '/create-order': ORDER,
    '/get-order': { ...ORDER, status: 'completed' },
  })
  assert.deepEqual(await provider.currencies(), ['nano', 'ban'])
  const agreed = await provider.open(REQUEST)
  assert.deepEqual(agreed, { reference: ORDER.id, depositAddress: ORDER.payinAddress, receive: '87.65' })
  assert.deepEqual(JSON.parse(asked[1]!.body), {
    from: 'XNO',
    to: 'BAN',
    amount: 1,
    toAddress: 'ban_1',
    refundAddress: 'nano_1',
  })
  assert.equal(asked[1]!.key, 'secret')
  assert.equal(await provider.follow(FOLLOWED), 'finished')
})

test('garbage and outages are failures, and a status it does not know changes nothing', async (t) => {
  const broken = await open(t, { '/all-currencies': [], '/create-order': { id: 7 } })
  await assert.rejects(broken.provider.currencies())
  await assert.rejects(broken.provider.open(REQUEST))
  await assert.rejects(broken.provider.follow(FOLLOWED))
  const odd = await open(t, { '/get-order': { status: 'dancing' } })
  assert.equal(await odd.provider.follow(FOLLOWED), 'waiting')
})
