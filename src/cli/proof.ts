import { readFileSync } from 'node:fs'
import { type ProofWeights, describeVerdict, verifyProof } from '../kernel/nano/payment-proof.ts'
import { formatNano } from '../kernel/money.ts'

/** Verifies a proof of a payment on this machine, without a gateway or a node. */
export function verifyProofFile(file: string, { weights, json }: { weights?: string; json?: true }): void {
  const verdict = verifyProof(readJson(file), {
    weights: weights === undefined ? undefined : (readJson(weights) as ProofWeights),
  })
  if (json) console.log(JSON.stringify(verdict, null, 2))
  else {
    console.log(describeVerdict(verdict))
    if (verdict.ok) {
      const { amount_raw: raw, from, to, hash, weights_from: by, source, taken_unix: taken } = verdict
      console.log(`${formatNano(BigInt(raw))} nano from ${from} to ${to}, block ${hash}.`)
      const reported = `reported by ${source.join(', ')} at ${new Date(taken * 1_000).toISOString()}`
      console.log(`Weights: ${by === 'verifier' ? `from ${weights}` : reported}.`)
    }
  }
  if (!verdict.ok) process.exitCode = 1
}

function readJson(file: string): unknown {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${file === '-' ? 'The input' : file} is not JSON.`)
  }
}
