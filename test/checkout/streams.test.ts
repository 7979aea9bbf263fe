import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { merchant, openWorld } from './world.ts'

/* Streams of events across instances; what one tells is in test/spec. */

const address = merchant.address

test('events reach whoever watches on another instance, and a closing gateway ends its streams', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const paid = await first.open({ address, amount: '1' })
  const open = await first.open({ address, amount: '1' })
  const texts: Record<string, string> = {}
  for (const { id } of [paid, open]) {
    texts[id] = ''
    const request = httpRequest(`${second.url}/pay/${id}/events`, (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => (texts[id] += chunk))
    })
    request.end()
  }
  await until(() => Object.values(texts).every((text) => text.includes('"status":"pending"')))
  await world.pay(address, paid.amount_raw)
  await until(() => texts[paid.id]!.includes('"status":"complete"'))
  await second.close()
})
