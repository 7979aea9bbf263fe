import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

type Encoding = 'br' | 'gzip'

/** A body that is the same for everybody. It is made once, and compressed at most once for each encoding. */
export class Prepared {
  readonly plain: Buffer
  readonly type: string
  readonly etag: string
  readonly #quality: number
  readonly #compressed = new Map<Encoding, Buffer>()

  constructor(content: string | Buffer, type: string, quality = BROTLI_QUALITY) {
    this.#quality = quality
    this.plain = typeof content === 'string' ? Buffer.from(content) : content
    this.type = type
    this.etag = `"${createHash('sha256').update(this.plain).digest('base64url').slice(0, 22)}"`
  }

  /** Compressed at the first use of an encoding, because it blocks all other requests for some milliseconds. */
  in(encoding: Encoding): Buffer {
    const known = this.#compressed.get(encoding)
    if (known) return known
    const params = { [constants.BROTLI_PARAM_QUALITY]: this.#quality }
    const made = encoding === 'br' ? brotliCompressSync(this.plain, { params }) : gzipSync(this.plain)
    this.#compressed.set(encoding, made)
    return made
  }
}

/** Each higher level takes twice as long and saves little. */
const BROTLI_QUALITY = 6
/** All pages together are larger; the ones read most recently are kept. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024

/** Sends the bytes, or 304 if the client has them. `vary` names more headers on which the answer depends. */
export function sendPrepared(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  body: Prepared,
  vary?: string,
): FastifyReply {
  void reply.headers({ etag: body.etag, vary: vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding` })
  // Clients check for changes instead of loading everything again. Proxies that compress put `W/` before the tag.
  if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-cache')
  if (headers['if-none-match']?.includes(body.etag)) return reply.code(304).send()
  const encoding = encodingFor(headers['accept-encoding'])
  if (encoding !== undefined) void reply.header('content-encoding', encoding)
  return reply.type(body.type).send(encoding === undefined ? body.plain : body.in(encoding))
}

export function encodingFor(accepted: string | string[] = ''): Encoding | undefined {
  const names = String(accepted)
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]!.trim())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : undefined
}

/** Prepared pages and texts by name, each made when it is first requested. */
export class PreparedPages {
  readonly #known = new LRUCache<string, Prepared>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: ({ plain }) => plain.length + 1,
  })

  get(name: string, type: string, make: () => string | Buffer): Prepared {
    const known = this.#known.get(name)
    if (known) return known
    const made = new Prepared(make(), type)
    this.#known.set(name, made)
    return made
  }
}
