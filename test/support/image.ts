import { type RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { serve } from './serve.ts'

/** One red pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)

/** A merchant's image server. */
export async function openImage(
  t: TestContext,
  answer: RequestListener = (_request, response) => response.setHeader('content-type', 'image/png').end(PIXEL),
): Promise<{ url: string; asked: () => number }> {
  let asked = 0
  const serverUrl = await serve(t, (request, response) => {
    asked++
    answer(request, response)
  })
  return { url: `${serverUrl}/picture`, asked: () => asked }
}
