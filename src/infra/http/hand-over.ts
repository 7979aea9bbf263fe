import { reasonOf } from './post-json.ts'

/** As long as a webhook waits for its receiver. */
const TIMEOUT = 10_000

export interface HandedOver {
  /** Undefined where there was no answer. */
  status?: number
  error?: string
  milliseconds: number
}

/** Posts a webhook to a receiver that the user of this machine has named, once; a redirect is an answer like any other. */
export async function handOver(url: URL, headers: Record<string, string>, body: string): Promise<HandedOver> {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const signal = AbortSignal.timeout(TIMEOUT)
    const reply = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await reply.body?.cancel()
    return { status: reply.status, milliseconds: took() }
  } catch (error) {
    return { error: reasonOf(error), milliseconds: took() }
  }
}
