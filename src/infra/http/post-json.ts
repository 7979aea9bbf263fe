/** Longer than any answer takes: work is searched for, and a wallet waits for its block. */
const TIMEOUT = 120_000

/** Posts JSON to an address that the user of this machine has named. A key given along goes nowhere else. */
export async function postJson(url: URL, body: object, key: string | undefined): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) }
  const signal = AbortSignal.timeout(TIMEOUT)
  let text: string
  try {
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'error' })
    text = await reply.text()
  } catch (error) {
    const { cause } = error as Error
    const reason = cause instanceof Error ? cause.message || cause.name : (error as Error).message
    throw new Error(`${url.origin} does not answer: ${reason}`, { cause: error })
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new Error(`${url.origin} answers with something that is no JSON. Is it a gateway?`, { cause: error })
  }
}
