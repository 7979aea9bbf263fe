import { type PackedPackage, pack } from './packed-package.ts'

let packed: PackedPackage | undefined

/** The package for tests as published; built once for a run. */
export function packDevnet(): PackedPackage {
  const needs = ['@noble/curves', '@noble/hashes', 'ws']
  return (packed ??= pack({ name: 'devnet', script: ['scripts/build-devnet.mjs'], needs }))
}
