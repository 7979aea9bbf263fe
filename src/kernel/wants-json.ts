import type { RouteRequest } from './route.ts'

/** Whether a public page is asked for by a program: it says so in the address, or takes nothing but JSON. */
export function wantsJson({ query: { json }, header }: Pick<RouteRequest, 'query' | 'header'>): boolean {
  const accept = header('accept') ?? ''
  return json === 'true' || json === '1' || (/\bapplication\/json\b/.test(accept) && !/text\/html/.test(accept))
}
