/** Why a node did not answer. A refusal by the ledger is an answer, so it is never one of these. */
type FailureKind =
  /** The connection was refused: the node has certainly not received the request. */
  | 'refused'
  | 'timeout'
  /** A broken connection, a bad status, an answer that is not JSON, or a node that refuses to serve us. */
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

/**
 * Messages for operators. The system's own messages contain addresses, which public pages must not show, or explain
 * nothing.
 */
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

/** Errors of the node rather than of the ledger, so another node may have an answer. */
const NOT_AN_ANSWER = /^(Unknown command|RPC control is disabled|Stopped)$|rate limit|too many requests/i
/**
 * The same, for our own questions. For a client's question these errors are the answer, because clients can cause them.
 */
const NOT_TO_US = /^(Internal server error in RPC|Empty response|Max JSON depth exceeded)$/i

export function isNodeComplaint(text: string, verbatim = false): boolean {
  return NOT_AN_ANSWER.test(text) || (!verbatim && NOT_TO_US.test(text))
}
