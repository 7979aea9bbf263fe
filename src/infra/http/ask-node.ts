const TIMEOUT = 20_000
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

/** Asks a node that the user of this machine has named. What it answers may be anything, but not endless. */
export async function askNode(url: URL, action: string, fields: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ action, ...fields })
  const signal = AbortSignal.timeout(TIMEOUT)
  try {
    const reply = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of reply.body ?? []) {
      size += chunk.length
      if (size > ANSWER_BYTES_MAX) throw new Error('the answer is too long')
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Error(`${url.origin} answers with something that is no JSON`, { cause: error })
    const { cause } = error as Error
    const reason = cause instanceof Error ? cause.message || cause.name : (error as Error).message
    throw new Error(`${url.origin}: ${reason}`, { cause: error })
  }
}
