import { build } from 'esbuild'
import { type PackedPackage, pack } from './packed-package.ts'

let packed: PackedPackage | undefined

/** The client as published; built once for a run. */
export function packClient(): PackedPackage {
  const script = ['scripts/build-client.mjs']
  return (packed ??= pack({ name: 'client', script, needs: ['@noble/curves', '@noble/hashes'] }))
}

/** Bundles the client and a program into one file, as for a page or a worker. */
export async function bundle(entry: string, outfile: string): Promise<void> {
  const { folder } = packClient()
  await build({
    stdin: { contents: entry, resolveDir: folder, loader: 'js' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'warning',
  })
}
