/** `/k/<key>/`, `/k/<key>/node` and `/k/<key>/ws`, with whatever parameters behind them. */
const KEYED = /^\/k\/([^/?#]+)(\/(?:node\/?|ws\/?)?)(\?[^#]*)?$/
/** The places of a request where a key from its path is put: the first that is free, so that two different keys are noticed. */
const PLACES = ['x-api-key', 'key']

interface Request {
  url?: string | undefined
  headers: Record<string, string | string[] | undefined>
  rawHeaders: string[]
}

/**
 * Takes a key out of the path, for clients that can be given nothing but a URL, and puts it where keys are looked for, here and by
 * whoever the request is handed over to. From here on no URL contains it.
 */
export function movePathKey(request: Request): void {
  const [, key, path, query = ''] = KEYED.exec(request.url ?? '/') ?? []
  if (key === undefined) return
  const place = PLACES.find((name) => request.headers[name] === undefined) ?? PLACES[0]!
  request.url = path! + query
  request.headers[place] = key
  request.rawHeaders.push(place, key)
}
