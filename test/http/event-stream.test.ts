import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Route, StreamEnd } from '../../src/kernel/route.ts'
import { openRoutes } from '../support/mounted-routes.ts'

/* Event streams in general. Those of checkouts are tested in src/modules/checkout/streams.test.ts. */

async function openStream(t: TestContext) {
  const arrived = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<StreamEnd>()
  const stopped = Promise.withResolvers<void>()
  const route: Route = {
    method: 'GET',
    path: '/stream',
    access: 'open',
    stream: true,
    async run() {
      arrived.resolve()
      await ready.promise
      return {
        events: {
          open(out) {
            opened.resolve(out)
            return () => stopped.resolve()
          },
        },
      }
    },
  }
  const world = await openRoutes(t, { routes: () => [route] })
  await world.server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.server.server.address() as AddressInfo
  const left = new Promise<void>((resolve) =>
    world.server.server.once('request', (_request, response) => response.once('close', resolve)),
  )
  const asked = request({ port, host: '127.0.0.1', path: '/stream' }).on('error', () => undefined)
  asked.end()
  await arrived.promise
  return { world, asked, ready, opened: opened.promise, stopped: stopped.promise, left }
}

// Such a stream once kept its slot, and ten of them locked an address out of all streams until a restart.
test('who leaves while a stream is being opened is let go at once', async (t) => {
  const { asked, ready, stopped, left } = await openStream(t)
  asked.destroy()
  await left
  ready.resolve()
  await stopped
})

test('a stream sets the retry delay, sends heartbeats while nothing happens, sends events, and ends once', async (t) => {
  const { world, asked, ready, opened, stopped } = await openStream(t)
  ready.resolve()
  const out = await opened
  const response = await new Promise<AsyncIterable<Buffer> & { headers: object }>((resolve) =>
    asked.on('response', resolve),
  )
  let text = ''
  world.clock.advance(15_000)
  out.send({ id: '7', name: 'status', data: '{}' })
  out.end()
  out.end()
  for await (const chunk of response) text += String(chunk)
  assert.equal(text, 'retry: 3000\n\n: still here\n\nid: 7\nevent: status\ndata: {}\n\n')
  await stopped
})
