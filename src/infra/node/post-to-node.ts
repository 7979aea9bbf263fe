import type { Dispatcher, Pool } from 'undici'
import type { Leaving } from '../../kernel/leaving.ts'
import { UpstreamFailure, toFailure } from './failure.ts'

interface NodePost {
  path: string
  headers: Record<string, string>
  body: string
  /** Cancels the request at any stage, also while it waits for a free connection. */
  leaving: Leaving
}

/**
 * Sends one POST over a pool and reads the answer as text. Uses the pool's dispatcher directly, because the streams of
 * the normal interface would cost as much as the rest of the request.
 */
export function postToNode(pool: Pool, { path, headers, body, leaving }: NodePost): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let controller: Dispatcher.DispatchController | undefined
    const abort = () => {
      const failure = toFailure(leaving.reason ?? new UpstreamFailure('aborted', 'nobody waits'))
      reject(failure)
      controller?.abort(failure)
    }
    const done = leaving.onLeave(abort)
    // The pool's own time limits are off, because the caller measures time and can cancel.
    pool.dispatch(
      { method: 'POST', path, headers, body, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(started) {
          controller = started
          if (leaving.left) abort()
        },
        onResponseStart(started, status) {
          if (status >= 200 && status !== 200) started.abort(new UpstreamFailure('broken', `status ${status}`))
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          done()
          resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString())
        },
        onResponseError(_controller, error) {
          done()
          reject(error)
        },
      },
    )
  })
}
