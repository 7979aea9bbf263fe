import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, createServer } from 'node:http'
import { type AddressInfo, type Server, type Socket, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { TestClock } from '../../../test/support/clock.ts'
import { until } from '../../../test/support/until.ts'
import { openOutbound } from './outbound.ts'

const LOOPBACK = '127.0.0.1'

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function openReceiver(t: TestContext, answer: RequestListener) {
  const server = createServer(answer)
  t.after(() => server.closeAllConnections())
  return listen(t, server)
}

/** A client for which every name is on this machine. */
function openClient(resolve = () => Promise.resolve([LOOPBACK])) {
  const clock = new TestClock()
  const outbound = openOutbound({ clock, allowPrivate: true, resolve })
  const post = (url: string) => outbound.post(url, { headers: { 'x-own': '1' }, body: '{"a":"ä"}' })
  return { clock, post }
}

test('the receiver sees the host of the address, its path and query, exact bytes, and no wish for compression', async (t) => {
  const seen: IncomingMessage[] = []
  const bodies: string[] = []
  const port = await openReceiver(t, (request, response) => {
    seen.push(request)
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()))
    request.on('end', () => response.writeHead(202, { 'retry-after': '7' }).end('thanks'))
  })
  const { post } = openClient()
  const { status, text, retryAfter } = await post(`http://shop.example.:${port}/hook?a=b%20c&d`)
  assert.deepEqual({ status, text, retryAfter }, { status: 202, text: 'thanks', retryAfter: '7' })
  const { method, url, headers } = seen[0]!
  assert.deepEqual([method, url, headers.host], ['POST', '/hook?a=b%20c&d', `shop.example:${port}`])
  assert.deepEqual([headers['accept-encoding'], headers['content-length'], headers['x-own']], ['identity', '10', '1'])
  assert.deepEqual(bodies, ['{"a":"ä"}'])
})

test('the connection goes to the address that was checked, whatever the name leads to a moment later', async (t) => {
  const port = await openReceiver(t, (_request, response) => response.end('the checked one'))
  let asked = 0
  const rebinding = () => Promise.resolve(asked++ === 0 ? [LOOPBACK] : ['127.0.0.2'])
  const { post } = openClient(rebinding)
  assert.equal((await post(`http://rebind.example:${port}/`)).text, 'the checked one')
  assert.equal(asked, 1)
})

test('over TLS the receiver is asked for by the name of the host, and must prove that it is', async (t) => {
  const names: string[] = []
  const server = createTlsServer({
    SNICallback: (name, done) => {
      names.push(name)
      done(new Error('no certificate'))
    },
  })
  server.on('tlsClientError', () => undefined)
  const port = await listen(t, server)
  await assert.rejects(openClient().post(`https://shop.example:${port}/`), { code: 'tls_failed' })
  assert.deepEqual(names, ['shop.example'])
})

test('a redirect is a reply, and is not followed', async (t) => {
  let requests = 0
  const port = await openReceiver(t, (_request, response) => {
    requests++
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end()
  })
  assert.equal((await openClient().post(`http://shop.example:${port}/`)).status, 307)
  assert.equal(requests, 1)
})

test('a reply of any length is cut off after two kilobytes', async (t) => {
  const port = await openReceiver(t, (_request, response) => {
    const pour = () => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', pour)
    }
    pour()
  })
  const { status, text } = await openClient().post(`http://shop.example:${port}/`)
  assert.deepEqual([status, text.length], [200, 2_048])
})

test('a reply whose body never ends counts by its status after ten seconds', async (t) => {
  const port = await openReceiver(t, (_request, response) => response.write('ok so far'))
  const { post, clock } = openClient()
  const posted = post(`http://shop.example:${port}/`)
  let over = false
  void posted.finally(() => (over = true))
  // Receiver and client are in this process, so each turn of the event loop brings both forward; two hundred turns are
  // more than enough.
  await until(() => {
    clock.advance(50)
    return over
  })
  const { status, text, milliseconds } = await posted
  assert.deepEqual([status, text, milliseconds], [200, 'ok so far', 10_000])
})

test('a receiver that never answers is given up after ten seconds, and its connection closed', async (t) => {
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const port = await openReceiver(t, (request) => {
    arrive()
    request.on('close', leave)
  })
  const { post, clock } = openClient()
  const posted = post(`http://shop.example:${port}/`)
  await arrived
  clock.advance(9_999)
  clock.advance(1)
  await assert.rejects(posted, { code: 'timeout' })
  await gone
})

test('a server that has not begun TLS within five seconds is given up', async (t) => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const server = createTcpServer((socket) => {
    t.after(() => socket.destroy())
    socket.on('error', () => undefined)
    arrive()
  })
  const port = await listen(t, server)
  const { post, clock } = openClient()
  const posted = post(`https://shop.example:${port}/`)
  await arrived
  clock.advance(5_000)
  await assert.rejects(posted, { code: 'connect_timeout' })
})

test('a closed port, a closed connection and nonsense are reported by codes, without details', async (t) => {
  const hangUp = await listen(
    t,
    createTcpServer((socket) => void socket.once('data', () => socket.destroy())),
  )
  const nonsense = await listen(
    t,
    createTcpServer((socket) => void socket.once('data', () => socket.end('HELLO 10.0.0.7\r\n\r\n'))),
  )
  const failures = {
    [`http://a.example:${hangUp}/`]: 'connection_lost',
    [`http://a.example:${nonsense}/`]: 'connection_lost',
    'http://a.example:1/': 'connect_failed',
  }
  for (const [url, code] of Object.entries(failures)) {
    await assert.rejects(openClient().post(url), { code, message: code }, url)
  }
})

test('for development literals, plain http and any port may be used, but no user name', async (t) => {
  const port = await openReceiver(t, (_request, response) => response.writeHead(204).end())
  const outbound = openOutbound({ clock: new TestClock(), allowPrivate: true })
  for (const host of [LOOPBACK, 'localhost', '0x7f.1']) {
    const url = `http://${host}:${port}/`
    assert.equal(outbound.check(url), undefined)
    assert.equal((await outbound.post(url, { headers: {}, body: '' })).status, 204)
  }
  assert.equal(outbound.check(`http://user@${LOOPBACK}:${port}/`), 'credentials_refused')
  assert.equal(outbound.check(`ftp://${LOOPBACK}/`), 'scheme_refused')
})

/** A receiver that counts its connections; `answer` gets the number of the request on its connection, starting at 1. */
async function openCountingReceiver(t: TestContext, answer: (nth: number, socket: Socket) => void) {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    let nth = 0
    socket.on('error', () => undefined)
    let got = ''
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString()
      if (!got.endsWith('}')) return
      got = ''
      answer(++nth, socket)
    })
  })
  const port = await listen(t, server)
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  return { port, sockets }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

test('the next event for a host goes over the connection that is open, and over another where its name leads elsewhere now', async (t) => {
  const { port, sockets } = await openCountingReceiver(t, (_nth, socket) => socket.write(OK))
  const answers = [[LOOPBACK], [LOOPBACK], ['127.0.0.2'], [LOOPBACK]]
  const { post } = openClient(() => Promise.resolve(answers.shift()!))
  const connections: number[] = []
  for (const host of ['shop.example', 'shop.example', 'shop.example', 'other.example']) {
    // Nothing listens at the other address.
    const posted = post(`http://${host}:${port}/`)
    if (answers.length === 1) await assert.rejects(posted, { code: 'connect_failed' })
    else assert.equal((await posted).text, 'ok')
    connections.push(sockets.length)
  }
  assert.deepEqual(connections, [1, 1, 1, 2])
})

test('an event that meets a connection just closed by its receiver is sent once more over a new one, and not a third time', async (t) => {
  const { port, sockets } = await openCountingReceiver(t, (nth, socket) => {
    if (nth === 1 && sockets.length < 3) socket.write(OK)
    else socket.destroy()
  })
  const { post } = openClient()
  const url = `http://shop.example:${port}/`
  assert.equal((await post(url)).status, 200)
  assert.equal((await post(url)).status, 200)
  assert.equal(sockets.length, 2)
  await assert.rejects(post(url), { code: 'connection_lost' })
  assert.equal(sockets.length, 3)
})

test('a connection whose reply was cut off, or that the receiver wants closed, carries no other event', async (t) => {
  const replies = [
    `HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n${'x'.repeat(4_000)}`,
    OK.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'),
    OK,
  ]
  const { port, sockets } = await openCountingReceiver(t, (_nth, socket) => socket.write(replies.shift()!))
  const { post } = openClient()
  for (const expected of [1, 2, 3]) {
    assert.equal((await post(`http://shop.example:${port}/`)).status, 200)
    assert.equal(sockets.length, expected)
  }
})

test('bytes that a receiver sends unasked are no reply to the next event', async (t) => {
  const { port, sockets } = await openCountingReceiver(t, (_nth, socket) =>
    socket.write(sockets.length === 1 ? OK + OK : OK),
  )
  const { post } = openClient()
  const url = `http://shop.example:${port}/`
  assert.equal((await post(url)).text, 'ok')
  assert.equal((await post(url)).text, 'ok')
  assert.equal(sockets.length, 2)
})
