import { once } from 'node:events'
import { type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** One red pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)

/** A merchant's server of pictures. */
export async function openImage(
  t: TestContext,
  answer: RequestListener = (_request, response) => response.setHeader('content-type', 'image/png').end(PIXEL),
): Promise<{ url: string; asked: () => number }> {
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/picture`, asked: () => asked }
}
