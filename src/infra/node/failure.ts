/** Why a node did not answer; a refusal by the ledger is an answer and never one of these. */
type FailureKind =
  /** The connection was refused: the node has certainly not received the request. */
  | 'refused'
  | 'timeout'
  /** Broken connections, bad statuses, answers that are not JSON, nodes that refuse to serve us. */
  | 'broken'
  /** The caller has left. */
  | 'aborted'

export class UpstreamFailure extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])

/** Messages for operators. The system's own contain addresses, which public pages must not show, or explain nothing. */
const WORDS: Record<string, string> = {
  ECONNREFUSED: 'refused connection',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name not found',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'no answer in time',
  ETIMEDOUT: 'no answer in time',
  ECONNRESET: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
}

export function toFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  const { code = '', name = '', message: said = '' } = error as { code?: string; name?: string; message?: string }
  const message = WORDS[code] ?? (said === '' ? code : said)
  if (name === 'AbortError' || code === 'UND_ERR_ABORTED') return new UpstreamFailure('aborted', 'aborted', error)
  if (TIMED_OUT.has(code) || name === 'TimeoutError') return new UpstreamFailure('timeout', message, error)
  if (NEVER_SENT.has(code) || code === 'UND_ERR_CONNECT_TIMEOUT') return new UpstreamFailure('refused', message, error)
  return new UpstreamFailure('broken', message, error)
}

/** Errors about the node and not about the ledger: another node may well answer. */
const NOT_AN_ANSWER = /^(Unknown command|RPC control is disabled|Stopped)$|rate limit|too many requests/i
/** The same for questions that we wrote. For a question of a client they are the answer: anybody can cause them. */
const NOT_TO_US = /^(Internal server error in RPC|Empty response|Max JSON depth exceeded)$/i

export function isNodeComplaint(text: string, verbatim = false): boolean {
  return NOT_AN_ANSWER.test(text) || (!verbatim && NOT_TO_US.test(text))
}
