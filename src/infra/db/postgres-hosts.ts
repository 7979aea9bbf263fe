/** Kinds of servers, with the names that libpq has for them. */
const SESSIONS = ['any', 'read-write', 'primary'] as const
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const PARAMETER = 'target_session_attrs'
/** The parameter that names the server behind a pooler. */
const DIRECT = 'direct'

/**
 * The servers of one store, one of which accepts writes, in the format of libpq:
 * `postgres://user@one:5432,two:5432/name?target_session_attrs=read-write`.
 */
export class PostgresHosts {
  /** Whether to skip read-only servers. */
  readonly needsWriter: boolean
  /**
   * The address of the server itself, if the other address is that of a pooler that gives each transaction another
   * connection.
   */
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

  /** The server to which new connections go. */
  get url(): string {
    return this.#urls[this.#at]!
  }

  /** The current generation. Connections of an earlier one lead to a server that no longer accepts writes. */
  get generation(): number {
    return this.#generation
  }

  /**
   * Switches from the server at this address, which cannot be used, to the next one, unless another caller has done so
   * already.
   */
  leave(url: string): void {
    if (url === this.url) this.#at = (this.#at + 1) % this.#urls.length
  }

  /** Records that the server no longer accepts writes. */
  markReadOnly(generation: number): void {
    if (generation === this.#generation) this.#generation++
  }
}

/** What is wrong with the address of a PostgreSQL store, without repeating any part of it; undefined if nothing is. */
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

/** Instead of a host, the parameters may contain the path of a socket. */
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
