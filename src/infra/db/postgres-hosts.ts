/** Kinds of sessions, in the words of libpq. */
const SESSIONS = ['any', 'read-write', 'primary'] as const
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const PARAMETER = 'target_session_attrs'
/** Names the server behind a pooler. */
const DIRECT = 'direct'

/**
 * The servers of one store, of which one accepts writes at a time, as libpq reads them:
 * `postgres://user@one:5432,two:5432/name?target_session_attrs=read-write`.
 */
export class PostgresHosts {
  /** Whether read-only servers are skipped. */
  readonly needsWriter: boolean
  /** The address of the server itself, where the other one is of a pooler that gives each transaction another connection. */
  readonly direct: string | undefined
  readonly #urls: readonly string[]
  #at = 0
  #generation = 0

  constructor(url: string) {
    const { urls, session, direct } = readUrl(url)
    this.#urls = urls
    this.direct = direct
    this.needsWriter = session === undefined ? urls.length > 1 : session !== 'any'
  }

  get count(): number {
    return this.#urls.length
  }

  /** The server for new connections. */
  get url(): string {
    return this.#urls[this.#at]!
  }

  /** Connections of an earlier generation lead to a server that no longer accepts writes. */
  get generation(): number {
    return this.#generation
  }

  /** Skips the server at this address, because it cannot be used now, unless another caller has skipped it already. */
  leave(url: string): void {
    if (url === this.url) this.#at = (this.#at + 1) % this.#urls.length
  }

  /** The server no longer accepts writes. */
  markReadOnly(generation: number): void {
    if (generation === this.#generation) this.#generation++
  }
}

/** What is wrong with the address of a PostgreSQL store, without repeating any of it; undefined when nothing is. */
export function faultInPostgresUrl(url: string): string | undefined {
  const { urls, session, tls, direct } = readUrl(url)
  if (!urls.every(isAddress)) return 'must be like postgres://user:password@host:5432/name'
  if (direct !== undefined && !readUrl(direct).urls.every(isAddress))
    return `must have ${DIRECT} as host:port of the server`
  if (session !== undefined && !SESSIONS.some((known) => known === session)) {
    return `must have ${PARAMETER} as one of ${SESSIONS.join(', ')}`
  }
  if (tls !== null && !TLS_MODES.includes(tls)) return `must have sslmode as one of ${TLS_MODES.join(', ')}`
  return undefined
}

/** A path to a socket may be among the parameters instead of a host. */
const isAddress = (url: string) => URL.canParse(url.replace('@/', '@localhost/'))

interface Read {
  urls: string[]
  session: string | undefined
  tls: string | null
  direct: string | undefined
}

function readUrl(url: string): Read {
  const [, scheme = '', user = '', hosts = '', rest = ''] = /^(\w+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(url) ?? []
  const [path = '', query = ''] = rest.split('?', 2)
  const parameters = new URLSearchParams(query)
  const session = parameters.get(PARAMETER) ?? undefined
  const direct = parameters.get(DIRECT) ?? undefined
  const isOurs = session !== undefined || direct !== undefined
  parameters.delete(PARAMETER)
  parameters.delete(DIRECT)
  const asked = isOurs ? parameters.toString() : query
  const end = path + (asked === '' ? '' : `?${asked}`)
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${end}`)
  if (direct === undefined) return { urls, session, tls: parameters.get('sslmode'), direct }
  if (session !== undefined) parameters.set(PARAMETER, session)
  const own = parameters.size === 0 ? '' : `?${parameters.toString()}`
  return { urls, session, tls: parameters.get('sslmode'), direct: `${scheme}${user}${direct}${path}${own}` }
}
