import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type Asset, listAssets } from '../web/assets.ts'
import { toErrorReply } from './errors.ts'

const FOREVER = 'public, max-age=31536000, immutable'
const A_WHILE = 'public, max-age=300'

/** Here and not beside the files: it takes a tenth of a second, which only a process that sends them should spend. */
const compressed = new Map(listAssets().map((asset) => [asset.name, compress(asset)]))

function compress(asset: Asset) {
  return {
    ...asset,
    brotli: brotliCompressSync(asset.plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gzip: gzipSync(asset.plain, { level: 9 }),
  }
}

/** The files that pages load, compressed beforehand. An address that names the version of its file never changes. */
export function mountAssets(server: FastifyInstance): void {
  const send = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const { v } = request.query as { v?: unknown }
    const asset = compressed.get(name)
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
    const bytes = encoding === 'br' ? asset.brotli : encoding === 'gzip' ? asset.gzip : asset.plain
    return reply.type(asset.type).send(bytes)
  }
  server.get('/assets/:name', (request, reply) => send(request, reply, (request.params as { name: string }).name))
  // Shops write this address into their pages, so that it is short and stays.
  server.get('/button.js', (request, reply) => send(request, reply, 'button.js'))
}

function encodingFor(accepted: string | string[] = ''): 'br' | 'gzip' | undefined {
  const names = String(accepted)
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]!.trim())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : undefined
}
