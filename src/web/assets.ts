import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'

/** A file that pages load. */
export interface Asset {
  name: string
  type: string
  /** Changes with the bytes; an address that contains it may be cached for ever. */
  version: string
  plain: Buffer
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
  }
}

/** Everything in the folder `assets`. */
export function listAssets(): Asset[] {
  return [...assets.values()]
}

/** The address of a file in the folder `assets`; it changes with the file's contents. */
export function assetUrl(name: string): string {
  const asset = assets.get(name)
  if (!asset) throw new Error(`There is no asset ${name}.`)
  return `/assets/${name}?v=${asset.version}`
}
