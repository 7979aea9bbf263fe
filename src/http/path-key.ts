/** `/k/<key>/`, `/k/<key>/node` and `/k/<key>/ws`, with any query. Some clients append a slash of their own. */
const KEYED = /^\/k\/([^/?#]+)(?:\/*(\/(?:node\/?|ws\/?)?))(\?[^#]*)?$/
/**
 * Headers to which a key from the path is moved. The first unused one is taken, so that a different key in the other is
 * still noticed.
 */
const PLACES = ['x-api-key', 'key']

interface Request {
  url?: string | undefined
  headers: Record<string, string | string[] | undefined>
  rawHeaders: string[]
}

/**
 * Moves a key from the path to a header, for clients in which only a URL can be configured. Afterwards no URL contains
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
