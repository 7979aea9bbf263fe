import type { Curve } from './curve.ts'
import { nobleCurve } from './noble-curve.ts'
import { Signatures } from './signatures.ts'

let curveInUse: Curve = nobleCurve
export let signatures = new Signatures(nobleCurve)

/** Says who computes in this process. Native code comes from the program that starts it; what runs in a browser never hears of it. */
export function useCurve(curve: Curve): void {
  curveInUse = curve
  signatures = new Signatures(curve)
}

/** Blake2b-256, the ledger's hash. */
export function blake2b256(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(32)
  curveInUse.hash(out, [bytes])
  return out
}
