import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { encodingFor } from './prepared.ts'

/** Smaller answers are not compressed: they fit into one packet anyway. */
const WORTH_BYTES = 1_400
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 4 }

/**
 * Compresses pages made for one reader; shared pages are compressed in advance. The compressed length can reveal a
 * token in a page to another site that triggers requests, but browsers do not send our cookie with those.
 */
export function compressPages(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
    if (!isPage || payload.length < WORTH_BYTES) return done(null, payload)
    const vary = reply.getHeader('vary')
    void reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`)
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === undefined) return done(null, payload)
    const compressed = (error: Error | null, bytes: Buffer) => {
      if (error) return done(null, payload)
      void reply.header('content-encoding', encoding)
      done(null, bytes)
    }
    if (encoding === 'br') brotliCompress(payload, { params: PARAMS }, compressed)
    else gzip(payload, compressed)
  })
}
