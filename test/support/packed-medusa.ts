import { type PackedPackage, pack } from './packed-package.ts'

let packed: PackedPackage | undefined

/** The provider for Medusa as published; built once for a run. */
export function packMedusa(): PackedPackage {
  const needs = ['@noble/curves', '@noble/hashes']
  return (packed ??= pack({ name: 'medusa', script: ['scripts/build-medusa.mjs'], needs }))
}
