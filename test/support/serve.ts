import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Lifetime = Pick<TestContext, 'after'>

/** A server on loopback for the duration of the test; returns its address. */
export async function serve(t: Lifetime, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The same, called with the whole body of the request. */
export const serveWhole = (
  t: Lifetime,
  answer: (body: string, request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> =>
  serve(t, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void answer(Buffer.concat(chunks).toString(), request, response))
  })

interface Provider {
  url: string
  /** Requested paths. */
  asked: string[]
  answer: RequestListener
}

/** A service on loopback whose answer a test may change. */
export async function openProvider(t: Lifetime, answer: RequestListener): Promise<Provider> {
  const provider: Provider = { url: '', asked: [], answer }
  provider.url = await serve(t, (request, response) => {
    provider.asked.push(request.url!)
    provider.answer(request, response)
  })
  return provider
}

/** Always gives the same answer: an object is sent as JSON. */
export const saying =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
