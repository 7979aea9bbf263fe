/** Longer than any answer takes: work is searched for, and a wallet waits for its block. */
const TIMEOUT = 120_000

/** Posts JSON to an address that the user of this machine has named. A key given along goes nowhere else. */
export function postJson(url: URL, body: object, key: string | undefined): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return askJson(url, { method: 'POST', headers, body: JSON.stringify(body) }, key)
}

/** Reads JSON from there. */
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

/** Why `fetch` has failed: it hides that in its cause. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message || cause.name : message
}
