/** A request as the client sends it. */
export interface Asked {
  path: string
  body: string
  headers: Headers
}

/** A fetch that records its requests, and may replace or drop the gateway's answers. */
export function watchedFetch(
  meddle: (asked: Asked, go: () => Promise<Response>) => Promise<Response> = (_, go) => go(),
) {
  const asked: Asked[] = []
  const watched = (url: string, init: RequestInit = {}) => {
    const body = typeof init.body === 'string' ? init.body : new TextDecoder().decode(init.body as ArrayBuffer)
    const each = { path: new URL(url).pathname, body, headers: new Headers(init.headers) }
    asked.push(each)
    return meddle(each, () => fetch(url, init))
  }
  return { asked, fetch: watched, count: (path: string) => asked.filter((each) => each.path === path).length }
}

/** Drops the reply after the gateway has acted. */
export async function lose(go: () => Promise<Response>): Promise<never> {
  await (await go()).arrayBuffer()
  throw new TypeError('The connection was lost.')
}
