import { request } from 'undici'

const ANSWER_BYTES_MAX = 1024 * 1024

/** A provider that answered, and not with what was asked for. */
export class BadStatus extends Error {
  readonly status: number

  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

/** What a provider of prices answers. Addresses come from the configuration, so that they are trusted; the answers are not. */
export async function fetchJson(
  url: string,
  { headers = {}, body: sent, signal }: { headers?: Record<string, string>; body?: string; signal: AbortSignal },
): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    headers: {
      accept: 'application/json',
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { method: 'POST', body: sent }),
    signal,
  })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > ANSWER_BYTES_MAX) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  if (statusCode !== 200) throw new BadStatus(statusCode)
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown
}
