import assert from 'node:assert/strict'
import { type RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { Signer } from '../../../test/support/blocks.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { ask, openGateway } from '../../../test/support/gateway.ts'
import { readFixture } from '../../../test/support/recorded.ts'
import { until } from '../../../test/support/until.ts'
import { serve } from '../../../test/support/serve.ts'

const DOCUMENTED = readFixture('providers/nanswap.documented.json') as Record<string, Record<string, unknown>>
const BAN = 'ban_1111111111111111111111111111111111111111111111111111hifc8npp'
const WISH = { amount: 1, from: 'xno', to: 'ban', address: BAN, refund_address: new Signer(22).address }

async function open(t: TestContext, answer: RequestListener) {
  const url = await serve(t, answer)
  const clock = new TestClock()
  return { clock, gateway: await openGateway(t, { SWAP_PROVIDER: 'nanswap', SWAP_URL: url, SWAP_KEY: 'k' }, clock) }
}

test('a swap by a service is agreed on, and followed until it is finished', async (t) => {
  const { clock, gateway } = await open(t, (request, response) => {
    const name = new URL(request.url!, 'http://x').pathname.slice(1)
    const answer = DOCUMENTED[name]!
    response.end(JSON.stringify('payoutAddress' in answer ? { ...answer, payoutAddress: BAN } : answer))
  })
  const made = (await gateway.call('nano_swap', WISH)).json<Record<string, unknown>>()
  assert.deepEqual([made.status, made.source, made.receive], ['waiting', 'nanswap', '87.65 BAN'])
  assert.equal(made.swap_address, DOCUMENTED['create-order']!.payinAddress)
  await until(async () => {
    clock.advance(100)
    return (await gateway.call('nano_swap_status', { id: made.id })).json().status === 'finished'
  })
  const unknown = await gateway.call('nano_swap', { ...WISH, to: 'xrp' })
  assert.deepEqual([unknown.status, unknown.json().code, unknown.json().field], [400, 'invalid_currency', 'to'])
})

// An outage of the provider is reported as one, affects nothing else, and makes nobody wait.
for (const [trouble, answer] of [
  ['is away', (_request, response) => response.writeHead(503).end('<html>')],
  ['answers garbage', (_request, response) => response.end('[1, 2')],
  ['says nothing at all', (request) => request.resume()],
] as [string, RequestListener][]) {
  test(`while the swap service ${trouble}, swaps are refused clearly and everything else works`, async (t) => {
    const { clock, gateway } = await open(t, (request, response) => {
      answer(request, response)
      clock.advance(8_000)
    })
    const reply = await gateway.call('nano_swap', WISH)
    assert.deepEqual([reply.status, reply.json().code], [503, 'no_swap'])
    assert.ok(reply.headers['retry-after'])
    assert.equal((await gateway.call('price')).status, 200)
    const currencies = await ask(`${gateway.url}/currencies.json`, { method: 'GET' })
    assert.deepEqual([currencies.status, currencies.json<{ swap: [] }>().swap], [200, []])
  })
}
