import { isHex } from '../../kernel/nano/hex.ts'
import { toFailure } from '../node/failure.ts'

type PeerFailureKind =
  /** No connection: the peer has not received the request. */
  | 'unreachable'
  | 'timeout'
  /** A broken connection, a bad status, or an answer that is too large, has no work, or is for another root. */
  | 'broken'
  /** It answered with an error. */
  | 'refused'
  /** It does not offer the action, for example a node without `enable_control`. */
  | 'disabled'

/**
 * Why a peer found no work. The peer's message and the original error are not kept, because they may repeat what we
 * sent, including our credentials.
 */
export class PeerFailure extends Error {
  readonly kind: PeerFailureKind

  constructor(kind: PeerFailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

const UPSTREAM_KINDS = { refused: 'unreachable', timeout: 'timeout', broken: 'broken', aborted: 'broken' } as const

export function toPeerFailure(error: unknown): PeerFailure {
  if (error instanceof PeerFailure) return error
  const { kind, message } = toFailure(error)
  // A work server gives this answer to a difficulty that it does not accept.
  if (message === 'status 400') return new PeerFailure('refused', message)
  return new PeerFailure(UPSTREAM_KINDS[kind], message || kind)
}

const DOES_NOT_DO_IT = /disabled|unknown command|not (allowed|enabled|supported)/i

/** The nonce in an answer to `work_generate`, in lower case. The caller checks whether it is valid. */
export function readWork(text: string, root: string): string {
  const { work, hash, error } = toObject(text)
  if (typeof error === 'string' && DOES_NOT_DO_IT.test(error)) {
    throw new PeerFailure('disabled', 'it does not generate work for us')
  }
  if (error !== undefined) throw new PeerFailure('refused', 'it answered with an error')
  if (hash !== undefined && (typeof hash !== 'string' || hash.toUpperCase() !== root.toUpperCase())) {
    throw new PeerFailure('broken', 'the answer is for another root')
  }
  if (typeof work !== 'string' || !isHex(work, 16)) throw new PeerFailure('broken', 'there is no work in the answer')
  return work.toLowerCase()
}

function toObject(text: string): Record<string, unknown> {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new PeerFailure('broken', 'the answer is not JSON')
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new PeerFailure('broken', 'the answer is not an object')
  }
  return answer as Record<string, unknown>
}
