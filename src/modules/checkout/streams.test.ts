import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { bearer, merchant, nano, openWorld } from '../../../test/support/checkout-steps.ts'

/* Streams of events across instances; their contents are tested in test/spec. */

const { address } = merchant

function watch(url: string): { text: string; ended: boolean } {
  const stream = { text: '', ended: false }
  const request = httpRequest(url, { agent: false }, (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => (stream.text += chunk))
    response.on('end', () => (stream.ended = true))
  })
  request.end()
  return stream
}

// A payment would prove nothing here, because the second instance also sees it on the ledger.
test('a merchant’s change on one instance reaches viewers on another, and a closing gateway ends its streams', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const open = () => first.open({ address, amount: '1' }, bearer(world.key()))
  const [given, marked, kept] = [await open(), await open(), await open()]
  const [ofGiven, ofMarked, ofKept] = [given, marked, kept].map(({ id }) =>
    watch(`${second.url}/pay/${id}/events`),
  ) as [ReturnType<typeof watch>, ReturnType<typeof watch>, ReturnType<typeof watch>]
  await until(() => [ofGiven, ofMarked, ofKept].every(({ text }) => text.includes('"status":"pending"')))
  assert.equal((await first.rest('DELETE', `/api/checkouts/${given.id}`, world.key())).status, 200)
  await until(() => ofGiven.text.includes('"status":"cancelled"') && ofGiven.ended)
  // It matches none of them until the merchant assigns it.
  const block_hash = await world.pay(address, nano('1'))
  const mark = () => first.rest('POST', `/api/checkouts/${marked.id}/mark`, world.key(), { block_hash })
  await until(async () => (await mark()).status === 200)
  await until(() => ofMarked.text.includes('"status":"complete"') && ofMarked.ended)
  assert.equal(ofKept.ended, false)
  await second.close()
  await until(() => ofKept.ended)
})
