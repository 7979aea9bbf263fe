/** A call of a client, as it leaves it. */
export interface Asked {
  path: string
  body: string
  headers: Headers
}

/** A fetch that keeps what goes through it, and may answer in place of the gateway, or lose what that answered. */
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

/** The gateway has acted, and its reply is lost. */
export async function lose(go: () => Promise<Response>): Promise<never> {
  await (await go()).arrayBuffer()
  throw new TypeError('The connection was lost.')
}
