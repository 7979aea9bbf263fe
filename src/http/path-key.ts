/** `/k/<key>/`, `/k/<key>/node` and `/k/<key>/ws`, with any query; some clients put a slash of their own behind an address. */
const KEYED = /^\/k\/([^/?#]+)(?:\/*(\/(?:node\/?|ws\/?)?))(\?[^#]*)?$/
/** The headers that may take a key from the path: the first free one, so that two different keys are noticed. */
const PLACES = ['x-api-key', 'key']

interface Request {
  url?: string | undefined
  headers: Record<string, string | string[] | undefined>
  rawHeaders: string[]
}

/**
 * Moves a key from the path to a header, for clients that can be configured with nothing but a URL. After this no URL contains
 * the key.
 */
export function movePathKey(request: Request): void {
  const [, key, path, query = ''] = KEYED.exec(request.url ?? '/') ?? []
  if (key === undefined) return
  const place = PLACES.find((name) => request.headers[name] === undefined) ?? PLACES[0]!
  request.url = path! + query
  request.headers[place] = key
  request.rawHeaders.push(place, key)
}
