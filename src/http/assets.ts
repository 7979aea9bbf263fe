import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type Asset, listAssets } from '../web/assets.ts'
import { toErrorReply } from './errors.ts'

const FOREVER = 'public, max-age=31536000, immutable'
const A_WHILE = 'public, max-age=300'

type Encoding = 'br' | 'gzip'

const assets = new Map(listAssets().map((asset) => [asset.name, asset]))
const compressed = new Map<string, Buffer>()

/** Made when it is first asked for: all of them take a tenth of a second, which would be part of every start. */
function compress({ name, plain }: Asset, encoding: Encoding): Buffer {
  const key = `${encoding} ${name}`
  const known = compressed.get(key)
  if (known) return known
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  const made = encoding === 'br' ? brotliCompressSync(plain, { params }) : gzipSync(plain, { level: 9 })
  compressed.set(key, made)
  return made
}

/** The files that pages load. An address that names the version of its file never changes. */
export function mountAssets(server: FastifyInstance): void {
  const send = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const { v } = request.query as { v?: unknown }
    const asset = assets.get(name)
    if (!asset) {
      const { status, body } = toErrorReply(new AppError('not_found', 'Not found.'))
      return reply.code(status).send(body)
    }
    const etag = `"${asset.version}"`
    void reply.headers({
      etag,
      vary: 'accept-encoding',
      'cache-control': v === asset.version ? FOREVER : A_WHILE,
      'x-content-type-options': 'nosniff',
    })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding !== undefined) void reply.header('content-encoding', encoding)
    return reply.type(asset.type).send(encoding === undefined ? asset.plain : compress(asset, encoding))
  }
  server.get('/assets/:name', (request, reply) => send(request, reply, (request.params as { name: string }).name))
  // Shops write this address into their pages, so that it is short and stays.
  server.get('/button.js', (request, reply) => send(request, reply, 'button.js'))
}

function encodingFor(accepted: string | string[] = ''): Encoding | undefined {
  const names = String(accepted)
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]!.trim())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : undefined
}
