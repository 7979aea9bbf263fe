import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'
import { WsClient } from '../support/ws-client.ts'

/* Websockets and subscriptions are limited for each client (contract 8, Websockets). */

const wsUrl = ({ url }: Gateway) => `${url.replace('http', 'ws')}/ws`

/** That many accounts, different for each client. */
const accountsOf = (client: number, count: number) =>
  Array.from({ length: count }, (_, at) =>
    toAddress((client * 1_000_000 + at + 1).toString(16).toUpperCase().padStart(64, '0')),
  )

/** Frames are limited in size, so many accounts need several. */
async function watch(client: WsClient, accounts: readonly string[]): Promise<unknown[]> {
  const heard: unknown[] = []
  const say = async (action: string, options: object) => {
    client.send({ action, topic: 'confirmation', ack: true, options })
    for (const text of await client.settle()) {
      const { ack, error } = JSON.parse(text) as Record<string, string>
      heard.push(ack ?? error)
    }
  }
  await say('subscribe', { accounts: [] })
  for (let at = 0; at < accounts.length; at += 2_500) {
    await say('update', { accounts_add: accounts.slice(at, at + 2_500) })
  }
  return heard
}

async function refusalOf(t: TestContext, url: string, headers: Record<string, string>): Promise<[number, string]> {
  const socket = new WebSocket(url, { headers })
  t.after(() => socket.terminate())
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.on('open', () => resolve([101, '']))
    socket.on('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve([response.statusCode!, text]))
    })
  })
}

test('one address cannot take all subscriptions: the next still gets its own, and what is refused is not acknowledged (contract 8, Websockets: accounts of one subscription, accounts of one address)', async (t) => {
  const gateway = await openGateway(t)
  const acks = (updates: number) => ['subscribe', ...Array.from({ length: updates }, () => 'update')]
  const greedy = await WsClient.connect(t, wsUrl(gateway))
  assert.deepEqual(await watch(greedy, accountsOf(1, 10_000)), acks(4))
  const options = { accounts_add: accountsOf(9, 1), accounts_del: [] }
  greedy.send({ action: 'update', topic: 'confirmation', ack: true, options })
  const beyond = (await greedy.settle()).map((text) => JSON.parse(text) as unknown)
  assert.deepEqual(beyond, [{ error: 'A subscription takes at most 10000 accounts.' }])
  const second = await WsClient.connect(t, wsUrl(gateway))
  assert.deepEqual(await watch(second, accountsOf(2, 10_000)), acks(4))
  const third = await WsClient.connect(t, wsUrl(gateway))
  assert.deepEqual(await watch(third, accountsOf(3, 1)), ['subscribe', 'One address watches at most 20000 accounts.'])
  // A subscription given up by one client is available to others at the same address.
  second.send({ action: 'unsubscribe', topic: 'confirmation' })
  await second.settle()
  assert.deepEqual(await watch(third, accountsOf(3, 1)), acks(1))
})

test('600 sockets of one address do not prevent those of others (contract 8, Websockets: clients of one address)', async (t) => {
  const gateway = await openGateway(t, { WS_CLIENTS_PER_ADDRESS_MAX: '3', TRUSTED_PROXIES: '127.0.0.1' })
  const from = (ip: string) => refusalOf(t, wsUrl(gateway), { 'x-forwarded-for': ip })
  for (let opened = 0; opened < 3; opened++) assert.deepEqual(await from('203.0.113.7'), [101, ''])
  const [status, text] = await from('203.0.113.7')
  const { code, detail } = JSON.parse(text) as Record<string, string>
  assert.deepEqual([status, code], [429, 'too_many_requests'])
  assert.match(detail!, /^Limit: 3 websockets from one IP address/)
  assert.deepEqual(await from('203.0.113.8'), [101, ''])
})
