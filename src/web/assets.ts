import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** A file that pages load, ready to be sent. */
interface Asset {
  name: string
  type: string
  /** Changes with the bytes; an address that carries it may be kept for ever. */
  version: string
  plain: Buffer
  brotli: Buffer
  gzip: Buffer
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

const FOLDER = new URL('./assets/', import.meta.url)
const assets = new Map(readdirSync(FOLDER).map((name) => [name, readAsset(name)]))

function readAsset(name: string): Asset {
  const plain = readFileSync(new URL(name, FOLDER))
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
  if (type === undefined) throw new Error(`No content type is known for ${name}.`)
  return {
    name,
    type,
    version: createHash('sha256').update(plain).digest('base64url').slice(0, 12),
    plain,
    brotli: brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gzip: gzipSync(plain, { level: 9 }),
  }
}

/** Everything in the folder `assets`, by its name. */
export function findAsset(name: string): Asset | undefined {
  return assets.get(name)
}

/** Where a page finds a file of the folder `assets`; the address changes with its contents. */
export function assetUrl(name: string): string {
  const asset = assets.get(name)
  if (!asset) throw new Error(`There is no asset ${name}.`)
  return `/assets/${name}?v=${asset.version}`
}
