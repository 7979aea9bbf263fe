import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { listAssets } from '../web/assets.ts'
import { toErrorReply } from './errors.ts'
import { Prepared, sendPrepared } from './prepared.ts'

const FOREVER = 'public, max-age=31536000, immutable'
const A_WHILE = 'public, max-age=300'

/** The files are small and requested often, so they are compressed as much as possible. */
const BROTLI_QUALITY = 11
const assets = new Map(
  listAssets().map(({ name, version, plain, type }) => [
    name,
    { version, file: new Prepared(plain, type, BROTLI_QUALITY) },
  ]),
)

/** Serves the files that pages load. Addresses contain the version of the file, so browsers may cache them for ever. */
export function mountAssets(server: FastifyInstance): void {
  const send = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const { v } = request.query as { v?: unknown }
    const asset = assets.get(name)
    if (!asset) {
      const { status, body } = toErrorReply(new AppError('not_found', 'Not found.'))
      return reply.code(status).send(body)
    }
    const cached = v === asset.version ? FOREVER : A_WHILE
    void reply.headers({ 'cache-control': cached, 'x-content-type-options': 'nosniff' })
    return sendPrepared(request, reply, asset.file)
  }
  server.get('/assets/:name', (request, reply) => send(request, reply, (request.params as { name: string }).name))
  // Shops write this address into their pages, so it is short and must never change.
  server.get('/button.js', (request, reply) => send(request, reply, 'button.js'))
}
