import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Lifetime = Pick<TestContext, 'after'>

/** A server on loopback that answers as the test says, until the test ends; answers its address. */
export async function serve(t: Lifetime, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The same, once the whole of a request has come. */
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
  /** The paths that were asked for. */
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

/** Always the same answer: an object becomes JSON. */
export const saying =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
