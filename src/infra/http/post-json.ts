/** Longer than any action takes, including a search for work and a wallet that waits for its block. */
const TIMEOUT = 120_000

/** Posts JSON to an address that the user of this command has named. The key is sent nowhere else. */
export function postJson(url: URL, body: object, key: string | undefined): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return askJson(url, { method: 'POST', headers, body: JSON.stringify(body) }, key)
}

export const getJson = (url: URL, key: string | undefined): Promise<unknown> => askJson(url, { headers: {} }, key)

async function askJson(
  url: URL,
  request: { method?: string; headers: Record<string, string>; body?: string },
  key: string | undefined,
): Promise<unknown> {
  const headers = { ...request.headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) }
  let text: string
  try {
    const reply = await fetch(url, { ...request, headers, signal: AbortSignal.timeout(TIMEOUT), redirect: 'error' })
    text = await reply.text()
  } catch (error) {
    throw new Error(`${url.origin} does not answer: ${reasonOf(error)}`, { cause: error })
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new Error(`${url.origin} does not answer with JSON. Is it a gateway?`, { cause: error })
  }
}

/** The reason why `fetch` failed, which is in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message || cause.name : message
}

const NODE_TIMEOUT = 20_000
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

/** Calls a node that the user of this command has named. Any answer up to a size is accepted. */
export async function askNode(
  url: URL,
  action: string,
  fields: object,
  {
    own,
    signal = AbortSignal.timeout(NODE_TIMEOUT),
  }: { own?: Readonly<Record<string, string>>; signal?: AbortSignal } = {},
): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...own }
  const body = JSON.stringify({ action, ...fields })
  try {
    const reply = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
    return JSON.parse(await readBounded(reply)) as unknown
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Error(`${url.origin} answers with something that is not JSON`, { cause: error })
    const { cause } = error as Error
    const reason = cause instanceof Error ? cause.message || cause.name : (error as Error).message
    throw new Error(`${url.origin}: ${reason}`, { cause: error })
  }
}

async function readBounded(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of reply.body ?? []) {
    size += chunk.length
    if (size > ANSWER_BYTES_MAX) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/**
 * Returns any answer up to a size, with its status. A redirect is not followed, because it could take the key to
 * another server.
 */
export async function postForStatus(
  url: URL,
  body: object,
  key: string | undefined,
): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) }
  const signal = AbortSignal.timeout(NODE_TIMEOUT)
  try {
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'error' })
    return { status: reply.status, text: await readBounded(reply) }
  } catch (error) {
    throw new Error(`${url.origin} does not answer: ${reasonOf(error)}`, { cause: error })
  }
}

/** As long as webhooks wait for their receiver. */
const HAND_OVER_TIMEOUT = 10_000

export interface HandedOver {
  /** Undefined if there was no answer. */
  status?: number
  error?: string
  milliseconds: number
}

/** Posts a webhook once to a receiver that the user of this command has named; a redirect counts as an answer. */
export async function handOver(url: URL, headers: Record<string, string>, body: string): Promise<HandedOver> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const signal = AbortSignal.timeout(HAND_OVER_TIMEOUT)
    const reply = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await reply.body?.cancel()
    return { status: reply.status, milliseconds: took() }
  } catch (error) {
    return { error: reasonOf(error), milliseconds: took() }
  }
}
